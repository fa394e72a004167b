import Foundation
import Testing

@testable import FocusCore

@Suite("Receipts") struct ReceiptTests {
    private let key = ReceiptKey(secret: Array("0123456789abcdef0123456789abcdef".utf8))
    private let subject = ReceiptSubject(
        log: LogID(Stage.uuid(1)), user: .ada, device: .phone, incarnation: Incarnation(7), scope: .system)

    private func envelope(_ number: Int, payload: [UInt8] = [1, 2], app: String? = "com.example.chat") -> Envelope {
        Envelope(
            id: EventID(Stage.uuid(number)), type: "notification.posted", app: app, occurredAt: .at(1),
            schemaVersion: 1, payload: payload)
    }

    private func hash(_ events: [(Envelope, Outcome)]) -> EnvelopeHash {
        var hash = EnvelopeHash()
        for (envelope, outcome) in events { hash.add(envelope, outcome) }
        return hash
    }

    private var events: [(Envelope, Outcome)] {
        [
            (envelope(1), .accepted), (envelope(2), .refused(code: "app_unknown", message: "no")),
            (envelope(3), .accepted),
        ]
    }

    private func receipt() -> Receipt {
        key.receipt(subject, first: DeviceSequence(4), through: DeviceSequence(6), hash: hash(events))
    }

    @Test("S6: a receipt is accepted of the very events, outcomes and sequences that it was given for")
    func accepted() {
        #expect(receipt().code.count == ReceiptKey.codeBytes)
        #expect(key.accepts(receipt(), of: subject, hash: hash(events)))
        // The server keeps a refused event without its payload, and so may the device.
        var refused = events
        refused[1].0.payload = []
        #expect(key.accepts(receipt(), of: subject, hash: hash(refused)))
    }

    @Test("S6: a receipt of another user, device, incarnation, log or scope is refused")
    func otherSubject() {
        let changes: [(inout ReceiptSubject) -> Void] = [
            { $0.user = .bob }, { $0.device = .tablet }, { $0.incarnation = Incarnation(8) },
            { $0.log = LogID(Stage.uuid(2)) }, { $0.scope = .app(.chat) },
        ]
        for change in changes {
            var other = subject
            change(&other)
            #expect(!key.accepts(receipt(), of: other, hash: hash(events)))
        }
    }

    @Test("S6: a receipt of other events, outcomes, orders or sequences is refused")
    func otherEvents() {
        let changes: [(inout [(Envelope, Outcome)]) -> Void] = [
            { $0[0].0.payload = [1, 3] }, { $0[0].0.app = nil }, { $0[0].0.type = "app.muted" },
            { $0[0].0.occurredAt = .at(2) }, { $0[0].0.schemaVersion = 2 },
            { $0[0].0.id = EventID(Stage.uuid(99)) }, { $0[1].1 = .accepted }, { $0[0].1 = $0[1].1 },
            { $0[1].1 = .refused(code: "app_unknown", message: "yes") }, { $0.swapAt(0, 2) }, { $0.removeLast() },
            { $0.append($0[0]) },
        ]
        for (index, change) in changes.enumerated() {
            var other = events
            change(&other)
            #expect(!key.accepts(receipt(), of: subject, hash: hash(other)), "change \(index)")
        }
        for change: (inout Receipt) -> Void in [
            { $0.first = DeviceSequence(3) }, { $0.through = DeviceSequence(7) }, { $0.code[0] ^= 1 },
            { $0.code = [] }, { $0.code.removeLast() },
        ] {
            var other = receipt()
            change(&other)
            #expect(!key.accepts(other, of: subject, hash: hash(events)))
        }
    }

    @Test("S6: fields cannot run into each other")
    func fields() {
        var (a, b) = (envelope(1, payload: []), envelope(1, payload: []))
        (a.type, a.app) = ("ab", "c")
        (b.type, b.app) = ("a", "bc")
        #expect(hash([(a, .accepted)]).value != hash([(b, .accepted)]).value)
        #expect(
            hash([(a, .refused(code: "x", message: "yz"))]).value
                != hash([(a, .refused(code: "xy", message: "z"))]).value)
    }

    @Test("S6: another key's receipt is refused; the same secret makes the same key on every server")
    func keys() {
        let other = ReceiptKey(secret: Array("0123456789abcdef0123456789abcdeF".utf8))
        #expect(!other.accepts(receipt(), of: subject, hash: hash(events)))
        let same = ReceiptKey(secret: Array("0123456789abcdef0123456789abcdef".utf8))
        #expect(same.accepts(receipt(), of: subject, hash: hash(events)))
    }

    /// The test vector of `Schema/README.md`, and proof that every version of this server honours older receipts.
    @Test("S6: receipts are what they always were")
    func vector() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        #expect(hex(hash(events).value) == "487906c66ad039a6cf0b6cd4dab706d71d67c1ad04f7566ceec3c577077e577f")
        #expect(hex(receipt().code) == "acd66546a7c573f190cd9f78e79baa960a81c51b4d5e128cc3a1180107c1d52c")
    }
}
