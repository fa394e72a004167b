import FocusCore
internal import SwiftProtobuf

/// The frames of the sync protocol, both directions. A frame is a 4-byte big-endian length and one message; decoding
/// starts from the message alone (`FrameSplitter` has removed the length).
public enum FrameCodec {
    /// Rule W1: the largest message before Hello is accepted, in bytes: room for a token and a list of collections.
    public static let maximumBytesBeforeHello = SessionLimits().frameBytesBeforeHello
    /// Rule W1: the largest message after it, in bytes.
    public static let maximumBytes = SessionLimits().frameBytes

    /// What a client said. A message of an unknown kind, and an empty frame, is `.unknown` (rule W3).
    public static func decodeClient(_ message: [UInt8]) throws(FrameError) -> ClientMessage {
        if let request = message.withUnsafeBytes({ AppendRequest.direct(frame: $0) }) { return .append(request) }
        return try generatedClient(message)
    }

    /// What the server said. Rows and digests of collections that this program does not know are left out.
    public static func decodeServer(_ message: [UInt8]) throws(FrameError) -> ServerMessage {
        if let direct = message.withUnsafeBytes({ ServerMessage.direct(frame: $0) }) { return direct }
        return try generatedServer(message)
    }

    /// The frame, with its length, that says `message`. `.unknown` gives an empty frame, which every program reads so.
    public static func frame(_ message: ServerMessage) -> [UInt8] {
        message.directFrame ?? generated(message)
    }

    /// The frame, with its length, that says `message`. `.unknown` gives an empty frame, which every program reads so.
    public static func frame(_ message: ClientMessage) -> [UInt8] {
        if case .append(let request) = message { return request.directFrame }
        return generated(message)
    }

    // MARK: By generated code alone. The direct paths above must agree with these; tests compare.

    static func generatedClient(_ message: [UInt8]) throws(FrameError) -> ClientMessage {
        try ClientMessage(parse(Focus_Sync_V1_ClientFrame.self, message))
    }

    static func generatedServer(_ message: [UInt8]) throws(FrameError) -> ServerMessage {
        try ServerMessage(parse(Focus_Sync_V1_ServerFrame.self, message))
    }

    static func generated(_ message: ClientMessage) -> [UInt8] { frame(Focus_Sync_V1_ClientFrame(message)) }

    static func generated(_ message: ServerMessage) -> [UInt8] { frame(Focus_Sync_V1_ServerFrame(message)) }

    private static func parse<M: SwiftProtobuf.Message>(_: M.Type, _ bytes: [UInt8]) throws(FrameError) -> M {
        do {
            return try M(serializedBytes: bytes, options: .lenient)
        } catch {
            throw .malformed("The frame is not a protobuf message of this protocol.")
        }
    }

    private static func frame(_ message: some SwiftProtobuf.Message) -> [UInt8] {
        do {
            let bytes: [UInt8] = try message.serializedBytes()
            return withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
        } catch {
            // Serializing fails for required fields, extensions and sizes over 2 GiB; frames have none of them.
            preconditionFailure("cannot serialize \(error)")
        }
    }
}
