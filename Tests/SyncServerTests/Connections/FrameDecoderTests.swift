import FocusCore
import FocusWire
import Foundation
import NIOConcurrencyHelpers
import Testing
import Waits

@testable import SyncServer

@Suite struct FrameDecoderTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())

    /// A frame without its length, with events that have payloads of so many bytes.
    private func frame(payloads: [Int]) -> [UInt8] {
        let envelopes = payloads.map {
            Envelope(
                id: EventID(UUID()), type: "focus.changed", app: nil, occurredAt: Timestamp(microseconds: 0),
                schemaVersion: 1, payload: Array(repeating: 0xFF, count: $0))
        }
        let request = AppendRequest(firstSequence: DeviceSequence(1), envelopes: envelopes)
        return Array(FrameCodec.frame(.append(request)).dropFirst(FrameSplitter.prefixBytes))
    }

    @Test("Q1: the next large frame is that of the user for whom least was decoded; a user's own come in their order")
    func fair() throws {
        let (decoder, reports) = (FrameDecoder(), Mailbox<String>())
        let (gate, isWaiting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        decoder.start()
        defer { decoder.stop() }
        decoder.decode(frame(payloads: [2_000]), of: anna) { _ in
            isWaiting.signal()
            gate.wait()
        }
        isWaiting.wait()
        for (user, bytes, name) in [
            (anna, 1_000, "anna 1"), (anna, 1_000, "anna 2"), (ben, 10, "ben 1"), (ben, 10, "ben 2"),
        ] {
            decoder.decode(frame(payloads: [bytes]), of: user) { _ in reports.post(name) }
        }
        gate.signal()
        var heard: [String] = []
        while heard.count < 4 {
            let new = reports.receive(until: .after(seconds: 60))
            try #require(!new.isEmpty)
            heard += new
        }
        #expect(heard == ["ben 1", "ben 2", "anna 1", "anna 2"])
    }

    @Test("What is decoded has the events as the lane takes them; what is no frame is an error")
    func decoded() throws {
        let decoded = try DecodedFrame(frame(payloads: [0, 10]))
        guard case .append(let request) = decoded.message else {
            Issue.record("\(decoded.message)")
            return
        }
        #expect(request.envelopes.count == 2 && decoded.events.map(\.envelope) == request.envelopes)
        let isRefused = decoded.events.map { if case .refused = $0.content { true } else { false } }
        #expect(isRefused == [false, true])
        #expect(try DecodedFrame(Array(FrameCodec.frame(ClientMessage.ping(7)).dropFirst(4))).events.isEmpty)
        #expect(throws: FrameError.self) { try DecodedFrame([0xFF, 0xFF, 0xFF]) }
    }
}
