import FocusCore
import SeededNumbers
import Testing

@testable import FocusWire

@Suite("FrameCodec")
struct FrameCodecTests {
    @Test("every client message survives its frame", arguments: SampleMessages.client)
    func client(_ message: ClientMessage) throws {
        let frame = FrameCodec.frame(message)
        #expect(frame == FrameCodec.generated(message))
        let bytes = try expectPrefix(frame)
        #expect(try FrameCodec.decodeClient(bytes) == message)
        #expect(try FrameCodec.generatedClient(bytes) == message)
    }

    @Test("every server message survives its frame", arguments: SampleMessages.server)
    func server(_ message: ServerMessage) throws {
        let frame = FrameCodec.frame(message)
        #expect(frame == FrameCodec.generated(message))
        let bytes = try expectPrefix(frame)
        #expect(try FrameCodec.decodeServer(bytes) == message)
        #expect(try FrameCodec.generatedServer(bytes) == message)
    }

    /// Checks the 4-byte big-endian length prefix and returns the message after it.
    private func expectPrefix(_ frame: [UInt8]) throws -> [UInt8] {
        try #require(frame.count >= 4)
        let length = UInt32(frame[0]) << 24 | UInt32(frame[1]) << 16 | UInt32(frame[2]) << 8 | UInt32(frame[3])
        #expect(Int(length) == frame.count - 4)
        return Array(frame.dropFirst(4))
    }

    @Test("the hot messages take the direct path, both ways")
    func direct() throws {
        for message in SampleMessages.client {
            guard case .append = message else { continue }
            let bytes = Array(FrameCodec.frame(message).dropFirst(4))
            #expect(bytes.withUnsafeBytes { AppendRequest.direct(frame: $0) } != nil)
        }
        for message in SampleMessages.server where message.directFrame != nil {
            let bytes = Array(FrameCodec.frame(message).dropFirst(4))
            #expect(bytes.withUnsafeBytes { ServerMessage.direct(frame: $0) } == message)
        }
        #expect(SampleMessages.server.filter { $0.directFrame != nil }.count == 8)
    }

    @Test("every size of every number is written as generated code writes it", arguments: [UInt64](1...100))
    func sizes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rows = (0..<Int.random(in: 0...5, using: &random)).map { _ in random.row() }
        let cursor = Cursor(
            log: LogID(SampleEvents.id(1)), version: Version(random.int()), event: EventID(SampleEvents.id(2)),
            view: random.next())
        let messages: [ServerMessage] = [
            .delta(from: Version(random.int()), rows: rows, cursor: cursor), .deltaRows(rows), .snapshotRows(rows),
            .appended(
                Appended(throughSequence: DeviceSequence(random.int()), version: Version(random.int()), refused: [])),
        ]
        for message in messages {
            let frame = FrameCodec.frame(message)
            #expect(frame == FrameCodec.generated(message), "seed \(seed)")
            #expect(try FrameCodec.decodeServer(Array(frame.dropFirst(4))) == message, "seed \(seed)")
        }
        let append = ClientMessage.append(
            AppendRequest(
                firstSequence: DeviceSequence(random.int()), envelopes: (0..<4).map { _ in random.envelope() }))
        let frame = FrameCodec.frame(append)
        #expect(frame == FrameCodec.generated(append), "seed \(seed)")
        #expect(try FrameCodec.decodeClient(Array(frame.dropFirst(4))) == append, "seed \(seed)")
    }

    @Test("W3: unknown fields are ignored, wherever they stand")
    func unknownFields() throws {
        var later = ProtoWriter()
        later.string(200, "later")
        later.varint(201, 1)
        for message in SampleMessages.client {
            let bytes = Array(FrameCodec.frame(message).dropFirst(4))
            #expect(try FrameCodec.decodeClient(later.bytes + bytes + later.bytes) == message)
        }
        for message in SampleMessages.server {
            let bytes = Array(FrameCodec.frame(message).dropFirst(4))
            #expect(try FrameCodec.decodeServer(later.bytes + bytes + later.bytes) == message)
        }
        // Unknown fields inside an envelope are ignored too.
        var envelope = ProtoWriter()
        envelope.presentData(1, EventID(SampleEvents.id(1)).bytes)
        envelope.string(2, "badge.cleared")
        envelope.string(50, "later")
        var frame = ProtoWriter()
        frame.message(2) {
            $0.int(1, 1)
            $0.presentData(2, envelope.bytes)
        }
        let expected = Envelope(
            id: EventID(SampleEvents.id(1)), type: "badge.cleared", app: nil, occurredAt: Timestamp(microseconds: 0),
            schemaVersion: 0, payload: [])
        #expect(
            try FrameCodec.decodeClient(frame.bytes)
                == .append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: [expected])))
    }

    @Test("W4: Active that names no app as an app is malformed")
    func activeApp() {
        var writer = ProtoWriter()
        writer.message(13) { $0.string(2, "no app") }
        #expect(throws: FrameError.self) { try FrameCodec.decodeClient(writer.bytes) }
    }

    @Test("W3: a message of a later protocol is unknown, and so is an empty frame")
    func unknownMessages() throws {
        for field in [16, 500] {
            var writer = ProtoWriter()
            writer.message(field) { $0.string(1, "later") }
            #expect(try FrameCodec.decodeClient(writer.bytes) == .unknown)
        }
        var writer = ProtoWriter()
        writer.message(501) { $0.string(1, "later") }
        #expect(try FrameCodec.decodeServer(writer.bytes) == .unknown)
        #expect(try FrameCodec.decodeClient([]) == .unknown)
        #expect(try FrameCodec.decodeServer([]) == .unknown)
    }

    @Test("W4: an id that is not 16 bytes, and a device class that is none, are malformed")
    func impossibleFields() {
        var hello = ProtoWriter()
        hello.message(1) { $0.varint(4, 9) }
        #expect(throws: FrameError.malformed("hello.device_class has the unknown number 9.")) {
            try FrameCodec.decodeClient(hello.bytes)
        }
        var append = ProtoWriter()
        append.message(2) { $0.message(2) { $0.presentData(1, [1, 2, 3]) } }
        #expect(throws: FrameError.malformed("envelope.event_id is not 16 bytes.")) {
            try FrameCodec.decodeClient(append.bytes)
        }
        var end = ProtoWriter()
        end.message(5) { _ in }
        #expect(throws: FrameError.malformed("cursor.log is not 16 bytes.")) { try FrameCodec.decodeServer(end.bytes) }
        #expect(FrameError.malformed("").code == .malformedFrame)
        #expect(FrameError.tooLarge(announced: 9, limit: 8).code == .frameTooLarge)
    }

    @Test("S7: a collection that this program does not know holds nothing; it does not stand for all")
    func unknownCollections() throws {
        func resync(_ names: String...) throws -> ClientMessage {
            var writer = ProtoWriter()
            writer.message(4) { for name in names { $0.presentString(1, name) } }
            return try FrameCodec.decodeClient(writer.bytes)
        }
        #expect(try resync("badges", "moods") == .resync([.badges]))
        #expect(try resync() == .resync([]))
        guard case .resync(let collections) = try resync("moods") else { throw FrameError.malformed("no resync") }
        #expect(collections.count == 1 && collections.allSatisfy { !$0.isPublic })
    }

    @Test("a client leaves out rows and digests of collections that it does not know")
    func laterRows() throws {
        for write in [writeLaterDelta, writeLaterCheckpoint] {
            var frame = ProtoWriter()
            write(&frame)
            switch try FrameCodec.decodeServer(frame.bytes) {
            case .delta(_, let rows, _): #expect(rows.map(\.key) == [RowKey(.badges)])
            case .checkpoint(_, let digests): #expect(digests.map(\.collection) == [.badges])
            case let other: Issue.record("\(other)")
            }
        }
    }

    private func writeCursor(_ writer: inout ProtoWriter) {
        writer.presentData(1, LogID(SampleEvents.id(1)).bytes)
        writer.presentData(3, EventID(SampleEvents.id(2)).bytes)
    }

    private func writeLaterDelta(_ writer: inout ProtoWriter) {
        writer.message(9) {
            for name in ["moods", "badges"] { $0.message(2) { $0.string(1, name) } }
            $0.message(3, writeCursor)
        }
    }

    private func writeLaterCheckpoint(_ writer: inout ProtoWriter) {
        writer.message(10) {
            $0.message(1, writeCursor)
            for name in ["moods", "badges"] {
                $0.message(2) {
                    $0.string(1, name)
                    $0.presentData(3, Digest().bytes)
                }
            }
        }
    }

    @Test(
        "an error code of a later server is named in the text, and as retryable as the error says",
        arguments: [(true, ErrorCode.internal), (false, .protocolUnsupported)])
    func laterErrorCode(isRetryable: Bool, code: ErrorCode) throws {
        #expect(code.isRetryable == isRetryable)
        var writer = ProtoWriter()
        writer.message(13) {
            $0.string(1, "on_fire")
            $0.string(2, "Run.")
            $0.bool(3, isRetryable)
        }
        #expect(try FrameCodec.decodeServer(writer.bytes) == .error(ProtocolError(code, "on_fire: Run.")))
    }
}

extension SplitMix64 {
    fileprivate mutating func row() -> DeltaRow {
        let collection = RowCollection.allCases.randomElement(using: &self) ?? .apps
        let app = AppID(String(repeating: "a", count: Int.random(in: 0...155, using: &self)))
        return DeltaRow(
            key: RowKey(collection, app: app, key: text()), version: Version(int()),
            value: maybe { $0.bytes(Int.random(in: 0...300, using: &$0)) })
    }

    fileprivate mutating func envelope() -> Envelope {
        Envelope(
            id: EventID(SampleEvents.id(UInt8.random(in: 0...255, using: &self))), type: text(),
            app: maybe { $0.text() },
            occurredAt: Timestamp(microseconds: int()), schemaVersion: Int32(truncatingIfNeeded: int()),
            payload: bytes(Int.random(in: 0...300, using: &self)))
    }
}
