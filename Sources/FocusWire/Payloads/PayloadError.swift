import FocusCore

/// Why a payload's bytes or JSON are not an event.
public enum PayloadError: Error, Hashable, Sendable {
    /// The bytes are not the type's message, or a field has a value without meaning. The text says which and is meant
    /// for the device's developer.
    case malformed(String)
    /// The payload is of a later schema than this program knows. It may be right; a newer program will read it.
    case unknownSchemaVersion(Int32)

    /// What is wrong and what to do about it.
    public var message: String {
        switch self {
        case .malformed(let text): text
        case .unknownSchemaVersion(let version):
            "Schema version \(version) is later than \(FocusWire.payloadSchemaVersion), the latest this program reads."
        }
    }

    /// What the log holds in the event's place (rule E2).
    public var refusal: Refusal { Refusal(.payloadMalformed, message) }
}

extension PayloadError: CustomStringConvertible {
    public var description: String { message }
}
