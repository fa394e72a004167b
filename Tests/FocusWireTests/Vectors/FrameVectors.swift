import FocusCore
import SwiftProtobuf

@testable import FocusWire

/// Frames of every kind, in the order in which a phone and a server may say them: `Schema/samples/frames.txt`.
enum FrameVectors {
    static func file() throws -> VectorFile {
        var lines = [
            "# Frames of every kind, as a device and a server say them to each other: who, name, bytes, proto3 JSON.",
            "# The bytes are a whole frame, its length included. Who: device or server; later-device and later-server",
            "# are frames of a later program, whose JSON is what is left without what is unknown (W3); malformed is a",
            "# device's frame that is answered malformed_frame (W4). The rows are those of one device, and the digests",
            "# of the checkpoints hold of them. A test makes this file from the server's code.",
        ]
        for vector in try FrameStory.vectors() {
            lines.append("\(vector.side.rawValue) \(vector.name) \(vector.frame.vectorText) \(try vector.json())")
        }
        return VectorFile(name: "frames.txt", text: lines.joined(separator: "\n") + "\n")
    }
}

/// One line of `frames.txt`.
struct FrameVector {
    enum Side: String {
        case device
        case server
        case laterDevice = "later-device"
        case laterServer = "later-server"
        case malformed
    }

    let side: Side
    let name: String
    /// The frame with its length.
    let frame: [UInt8]

    init(_ name: String, _ message: ClientMessage) {
        self.init(.device, name, FrameCodec.frame(message))
    }

    init(_ name: String, _ message: ServerMessage) {
        self.init(.server, name, FrameCodec.frame(message))
    }

    init(_ side: Side, _ name: String, _ frame: [UInt8]) {
        self.side = side
        self.name = name
        self.frame = frame
    }

    /// A frame whose message is these bytes.
    init(_ side: Side, _ name: String, message: [UInt8]) {
        let length = withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) }
        self.init(side, name, length + message)
    }

    /// The message without the frame's length.
    var message: [UInt8] { Array(frame.dropFirst(4)) }

    /// The message as one line of proto3 JSON, without what this program does not know; `-` when it is none.
    func json() throws -> String {
        let decoded: any SwiftProtobuf.Message
        switch side {
        case .malformed: return "-"
        case .device, .laterDevice:
            decoded = try Focus_Sync_V1_ClientFrame(serializedBytes: message, options: .lenient)
        case .server, .laterServer:
            decoded = try Focus_Sync_V1_ServerFrame(serializedBytes: message, options: .lenient)
        }
        return try PayloadCodec.json(decoded, of: name)
    }
}
