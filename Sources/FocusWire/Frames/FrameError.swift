import FocusCore

/// Why bytes from a socket are not a message. The connection cannot go on after either.
public enum FrameError: Error, Hashable, Sendable {
    /// A length prefix over the limit (rule W1); found before anything was allocated for it.
    case tooLarge(announced: UInt32, limit: Int)
    /// Not a protobuf message of the protocol, or one with an impossible field (rule W4). The text is for developers.
    case malformed(String)

    /// The code that the other side gets.
    public var code: ErrorCode {
        switch self {
        case .tooLarge: .frameTooLarge
        case .malformed: .malformedFrame
        }
    }

    /// What is wrong, for the other side's developer.
    public var message: String {
        switch self {
        case .tooLarge(let announced, let limit): "A frame of \(announced) bytes is over the limit of \(limit)."
        case .malformed(let text): text
        }
    }
}
