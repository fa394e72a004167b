import FocusCore
import FocusWire

/// W1–W7: bytes, frames, and which messages may come first.
enum FrameCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("W1", "before Hello a length over 64 KiB is refused at once; exactly 64 KiB is read") {
            context in
            for length in [UInt32(64 * 1024 + 1), 0x7FFF_FFFF, .max] {
                let connection = try await context.connect()
                try await connection.send(bytes: prefix(length))
                _ = try await connection.expectError(.frameTooLarge, "for a length of \(length) before Hello")
                try await connection.expectClosed("after frame_too_large")
            }
            let connection = try await context.connect()
            try await connection.send(bytes: prefix(64 * 1024) + Array(repeating: 0xFF, count: 64 * 1024))
            _ = try await connection.expectError(.malformedFrame, "for 64 KiB that are no message")
        },
        ConformanceCase("W1", "after Hello frames of up to 1 MiB are taken, and not one byte more") { context in
            let live = try await context.open(.ofNewUser())
            let limit = live.welcome.maximumFrameBytes
            try expect(limit == 1_048_576, "Welcome.maximum_frame_bytes is \(limit)")
            try await live.append(largeFrame(bytes: Int(limit)))
            try await live.connection.send(bytes: prefix(limit + 1))
            _ = try await live.connection.expectError(.frameTooLarge, "for a length of \(limit + 1)")
            try await live.connection.expectClosed("after frame_too_large")
        },
        ConformanceCase("W2", "bytes may arrive one at a time") { context in
            let device = Device.ofNewUser()
            let connection = try await context.connect()
            for (index, byte) in FrameCodec.frame(device.hello(token: try await context.token(device))).enumerated() {
                connection.post(bytes: [byte])
                // The pauses make the server read the frame's length in pieces.
                if index < 6 { try await Task.sleep(for: .milliseconds(50)) }
            }
            _ = try await connection.welcome()
        },
        ConformanceCase("W2", "many frames may arrive in one piece, also with the Hello") { context in
            let device = Device.ofNewUser()
            let connection = try await context.connect()
            let append = ClientMessage.append(
                AppendRequest(firstSequence: DeviceSequence(1), envelopes: Envelope.setUp("a")))
            try await connection.send(
                bytes: FrameCodec.frame(device.hello(token: try await context.token(device))) + FrameCodec.frame(append)
                    + FrameCodec.frame(ClientMessage.ping(9)))
            _ = try await connection.welcome()
            let through = try await connection.appended().throughSequence
            try expect(through == DeviceSequence(2), "acknowledged through \(through.rawValue) instead of 2")
        },
        ConformanceCase("W3", "a message of an unknown kind is unknown_message, and the connection is kept") {
            context in
            let live = try await context.open(.ofNewUser())
            // Field 99, length-delimited, empty: a message of the future. Then a frame with nothing in it.
            for frame in [[0, 0, 0, 3, 0x9A, 0x06, 0x00], [0, 0, 0, 0]] as [[UInt8]] {
                try await live.connection.send(bytes: frame)
                _ = try await live.connection.expectError(.unknownMessage, "for a message of an unknown kind")
            }
            try await live.appendAccepted(Envelope.setUp("a"))
        },
        ConformanceCase("W3", "unknown fields are ignored, beside a message and within it") { context in
            let live = try await context.open(.ofNewUser())
            // Ping {nonce: 7, field 99: 1}, and field 98 of the frame beside it.
            try await live.connection.send(bytes: [0, 0, 0, 10, 0x2A, 5, 8, 7, 0x98, 0x06, 1, 0x90, 0x06, 1])
            let nonce = try await live.connection.first("Pong") { if case .pong(let nonce) = $0 { nonce } else { nil } }
            try expect(nonce == 7, "Pong has nonce \(nonce) instead of 7")
        },
        ConformanceCase("W4", "an undecodable frame is malformed_frame, closed; so is an id that is not 16 bytes") {
            context in
            // A length that passes the end; an Append whose event_id has one byte.
            for message in [[0x0A, 0xFF], [0x12, 7, 8, 1, 0x12, 3, 0x0A, 1, 7]] as [[UInt8]] {
                let live = try await context.open(.ofNewUser())
                try await live.connection.send(bytes: prefix(UInt32(message.count)) + message)
                _ = try await live.connection.expectError(.malformedFrame, "for \(message)")
                try await live.connection.expectClosed("after malformed_frame")
            }
        },
        ConformanceCase("W4", "an Append of no events, of 1,001, or from sequence 0 is malformed_frame, closed") {
            context in
            let event = Envelope.setUp("a")[0]
            let appends: [(Int64, [Envelope])] = [
                (1, []), (1, Array(repeating: event, count: 1_001)), (0, [event]), (-1, [event]),
            ]
            for (first, envelopes) in appends {
                let live = try await context.open(.ofNewUser())
                try await live.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(first), envelopes: envelopes)))
                _ = try await live.connection.expectError(
                    .malformedFrame, "for \(envelopes.count) events from sequence \(first)")
                try await live.connection.expectClosed("after malformed_frame")
            }
        },
        ConformanceCase("W5", "no common protocol is protocol_unsupported with the server's range, closed") { context in
            let device = Device.ofNewUser()
            for range in [3...7, 900...900] as [ClosedRange<UInt32>] {
                let connection = try await context.connect()
                try await connection.send(device.hello(token: try await context.token(device), protocols: range))
                let error = try await connection.expectError(.protocolUnsupported, "for protocols \(range)")
                try expect(error.message.contains("1"), "the message does not name the range: \(error.message)")
                try await connection.expectClosed("after protocol_unsupported")
            }
        },
        ConformanceCase("W6", "without Hello the connection is closed in time, and not before", isLong: true) {
            context in
            let clock = ContinuousClock()
            let connection = try await context.connect()
            let begin = clock.now
            // Half of a length: whatever comes, it is no Hello.
            connection.post(bytes: [0, 0])
            let limit = 10.0
            _ = try await connection.expectError(.helloTimeout, "without Hello", within: limit + context.patience)
            try await connection.expectClosed("after hello_timeout")
            let seconds = (clock.now - begin).inSeconds
            try expect(
                seconds > limit * 0.8 && seconds < limit + 40, "closed after \(seconds) s instead of \(limit)")
        },
        ConformanceCase("W7", "anything before Hello is hello_required, closed") { context in
            let append = AppendRequest(firstSequence: DeviceSequence(1), envelopes: Envelope.setUp("a"))
            for message in [ClientMessage.append(append), .ping(1), .resync([]), .renew(token: "x"), .unknown] {
                let connection = try await context.connect()
                try await connection.send(message)
                _ = try await connection.expectError(.helloRequired, "for something before Hello")
                try await connection.expectClosed("after hello_required")
            }
        },
        ConformanceCase("W7", "a second Hello ends the connection") { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.connection.send(device.hello(token: try await context.token(device)))
            try await live.connection.expectClosed("after a second Hello")
        },
        ConformanceCase("W4", "random bytes harm nobody else") { context in
            for round in 0..<40 {
                let connection =
                    round < 20 ? try await context.connect() : try await context.open(.ofNewUser()).connection
                // Writing fails when the server has cut the connection already, which is right.
                try? await connection.send(bytes: (0..<5_000).map { _ in UInt8.random(in: 0...255) })
            }
            try await context.open(.ofNewUser()).appendAccepted(Envelope.setUp("a") + [.post("n", app: "a")])
        },
    ]

    private static func prefix(_ length: UInt32) -> [UInt8] { withUnsafeBytes(of: length.bigEndian) { Array($0) } }

    /// Events that make an Append whose message has exactly so many bytes.
    private static func largeFrame(bytes: Int) -> [Envelope] {
        func envelope(_ size: Int) -> Envelope {
            Envelope(
                id: .version7(), type: "notification.posted", app: "a", occurredAt: .now, schemaVersion: 1,
                payload: Array(repeating: 1, count: size))
        }
        var envelopes = (0..<4).map { _ in envelope(200 * 1024) } + [envelope(100 * 1024)]
        let request = AppendRequest(firstSequence: DeviceSequence(1), envelopes: envelopes)
        let missing = bytes - (FrameCodec.frame(ClientMessage.append(request)).count - FrameSplitter.prefixBytes)
        // Lengths between 16 KiB and 2 MiB are all encoded in three bytes, so each byte of payload adds one byte to the
        // frame.
        envelopes[4].payload += Array(repeating: 1, count: missing)
        return envelopes
    }
}
