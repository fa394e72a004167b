import FocusCore
import FocusWire

/// Receipts with all that they are made from: `Schema/samples/receipts.txt`.
enum ReceiptVectors {
    struct Event {
        var envelope: Envelope
        var outcome: Outcome
    }

    struct Vector {
        var name: String
        var subject: ReceiptSubject
        var first: DeviceSequence
        var events: [Event]

        var hash: EnvelopeHash {
            var hash = EnvelopeHash()
            for event in events { hash.add(event.envelope, event.outcome) }
            return hash
        }

        var receipt: Receipt {
            ReceiptVectors.key.receipt(
                subject, first: first, through: first.advanced(by: events.count - 1), hash: hash)
        }
    }

    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    private static let key = ReceiptKey(secret: secret)

    private static func subject(_ incarnation: Int64, _ scope: Scope) -> ReceiptSubject {
        ReceiptSubject(
            log: LogID(SampleEvents.id(10)), user: UserID(SampleEvents.id(2)), device: DeviceID(SampleEvents.id(1)),
            incarnation: Incarnation(incarnation), scope: scope)
    }

    private static func event(
        _ number: UInt8, app: String?, _ body: EventBody, _ outcome: Outcome = .accepted
    ) -> Event {
        Event(
            envelope: Envelope(
                id: EventID(SampleEvents.id(number)), type: body.type.rawValue, app: app,
                occurredAt: SampleEvents.time.adding(microseconds: Int64(number)), schemaVersion: 1,
                payload: PayloadCodec.encode(body)),
            outcome: outcome)
    }

    private static func post(_ id: String, _ body: String) -> EventBody {
        .notificationPosted(NotificationPosted(notificationID: id, body: body))
    }

    /// The events that `frames.txt` appends.
    static let story = Vector(
        name: "story", subject: subject(0x0123_4567_89AB_CDEF, .system), first: DeviceSequence(1),
        events: [
            event(1, app: nil, .focusChanged(FocusChanged(focusID: "work", isActive: true, endsAt: nil))),
            event(2, app: "com.example.messages", post("message-1", "At half past six?")),
            event(
                3, app: "com.example.unknown", post("n", "Nobody registered me."),
                .refused(code: "app_unknown", message: "no")),
        ])

    /// The scope of an app, a negative incarnation, text beyond ASCII and an event without payload.
    private static func ofApp() throws -> Vector {
        let app = try SampleEvents.app("com.example.messages")
        return Vector(
            name: "app", subject: subject(-2, .app(app)), first: DeviceSequence(9_000_000_000),
            events: [
                event(5, app: app.rawValue, .badgeCleared), event(6, app: app.rawValue, post("zoë", "Grüße 🏃")),
                event(7, app: app.rawValue, .badgeCleared, .refused(code: "app_unknown", message: "Zoë is unknown")),
            ])
    }

    static func file() throws -> VectorFile {
        var lines = [
            "# Receipts (S6) and what they are made from. A device keeps a receipt as it came, gives it back with",
            "# exactly its events, and checks no more of it than README.md says: only servers have the secret. These",
            "# are for whoever writes a server, or wants to know what a receipt covers. A test makes this file from",
            "# the server's code. `-` is an empty payload, or no app.",
            "# secret BYTES                                                    of the servers, for all that follow",
            "# receipt NAME LOG USER DEVICE INCARNATION SCOPE FIRST LAST       of the events below it, in this order",
            "# accepted EVENT OCCURRED_AT_US SCHEMA_VERSION TYPE APP PAYLOAD   an event that was accepted",
            "# refused EVENT OCCURRED_AT_US TYPE CODE MESSAGE                  one that was refused; MESSAGE is the rest",
            "# hash BYTES                                                      SHA-256 over the events",
            "# code BYTES                                                      what the device gets",
            "secret \(secret.vectorText)",
        ]
        for vector in [story, try ofApp()] {
            let (subject, receipt) = (vector.subject, vector.receipt)
            lines.append(
                "receipt \(vector.name) \(subject.log) \(subject.user) \(subject.device) "
                    + "\(subject.incarnation.rawValue) \(subject.scope.text) \(receipt.first) \(receipt.through)")
            lines += vector.events.map(line)
            lines += ["hash \(vector.hash.value.vectorText)", "code \(receipt.code.vectorText)"]
        }
        return VectorFile(name: "receipts.txt", text: lines.joined(separator: "\n") + "\n")
    }

    private static func line(_ event: Event) -> String {
        let envelope = event.envelope
        switch event.outcome {
        case .accepted:
            return "accepted \(envelope.id) \(envelope.occurredAt.microseconds) \(envelope.schemaVersion) "
                + "\(envelope.type) \(envelope.app ?? "-") \(envelope.payload.vectorText)"
        case .refused(let code, let message):
            return "refused \(envelope.id) \(envelope.occurredAt.microseconds) \(envelope.type) \(code) \(message)"
        }
    }
}
