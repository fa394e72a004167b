/// The bytes that programs exchange and the log keeps, and what they mean in `FocusCore`'s terms. It is a module of its
/// own so that no other one depends on protobuf: its types do not leave this one.
///
/// Flow: socket bytes → `FrameSplitter` → `FrameCodec.decodeClient` → `ClientMessage`; its payloads →
/// `PayloadCodec.decode` → `EventBody`; `ServerMessage` → `FrameCodec.frame` → socket bytes.
///
/// The messages are those of `Schema/proto`; `Schema/README.md` describes them for other languages.
public enum FocusWire {
    /// Version of the payload messages that this module writes; it reads all from 1 on.
    public static let payloadSchemaVersion: Int32 = 1
}
