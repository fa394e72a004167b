import FocusCore

@testable import FocusWire

/// Fuzzes framing and messages. Each record holds a byte and a message; if the byte is 0xFF, raw bytes of a stream. The
/// byte is also the size of the pieces in which the frames arrive. Each message is decoded as a server and as a client
/// would, by the direct and by the generated decoder. Both must agree, and a message that decodes must survive encoding
/// (rules W2, W4).
func fuzzFrames(_ input: FuzzInput) {
    var input = input
    var splitter = FrameSplitter(limit: FrameCodec.maximumBytesBeforeHello)
    while var record = input.next() {
        let kind = record.byte()
        let bytes = record.bytes
        if kind != 0xFF { checkMessage(bytes) }
        let stream = kind == 0xFF ? bytes : withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
        let whole = splitter.pendingBytes == 0 && kind != 0xFF ? bytes : nil
        var taken: [[UInt8]] = []
        do throws(FrameError) {
            for start in stride(from: 0, to: stream.count, by: Int(kind) + 1) {
                splitter.feed(stream[start..<min(stream.count, start + Int(kind) + 1)])
                while let message = try splitter.next() { taken.append(message) }
                check(splitter.pendingBytes <= 4 + splitter.limit, "the splitter keeps more than a frame (W1)")
            }
        } catch {
            check(error.code == .frameTooLarge, "the splitter judges what is not its own")
            return
        }
        if let whole { check(taken == [whole], "pieces do not make the message (W2)") }
        if kind == 0xFF { taken.forEach(checkMessage) }
    }
}

private func checkMessage(_ message: [UInt8]) {
    let client = Result { try FrameCodec.decodeClient(message) }
    check(
        isSame(client, Result { try FrameCodec.generatedClient(message) }) { FrameCodec.generated($0) },
        "client decoders differ")
    if case .success(let decoded) = client {
        let frame = FrameCodec.frame(decoded)
        check(frame == FrameCodec.generated(decoded), "encoders of a client differ")
        let again = Result { try FrameCodec.decodeClient(Array(frame.dropFirst(4))) }
        check(isSame(client, again) { FrameCodec.generated($0) }, "a client's message changes on its way")
    }
    let server = Result { try FrameCodec.decodeServer(message) }
    check(
        isSame(server, Result { try FrameCodec.generatedServer(message) }) { FrameCodec.generated($0) },
        "server decoders differ")
    if case .success(let decoded) = server {
        let frame = FrameCodec.frame(decoded)
        check(frame == FrameCodec.generated(decoded), "encoders of a server differ")
        let again = Result { try FrameCodec.decodeServer(Array(frame.dropFirst(4))) }
        check(isSame(server, again) { FrameCodec.generated($0) }, "a server's message changes on its way")
    }
}

/// Compares by bytes: a NaN does not equal itself, and two texts may be equal without having the same bytes.
private func isSame<T>(
    _ a: Result<T, any Error>, _ b: Result<T, any Error>, bytes: (T) -> [UInt8]
) -> Bool {
    switch (a, b) {
    case (.success(let x), .success(let y)): bytes(x) == bytes(y)
    case (.failure, .failure): true
    case (.success, .failure), (.failure, .success): false
    }
}
