import FocusCore

/// What a device says of events that it sent before: it brings them back to a log that lost its tail (rule S6), or asks
/// for them (rule P10).
enum IncomingHealing: Sendable {
    /// The outcomes of the append's events, and the code of their receipt.
    case reoffer(Incarnation, [Outcome], code: [UInt8])
    case lost(LostEvents)
    case recall(Recall)

    var incarnation: Incarnation {
        switch self {
        case .reoffer(let incarnation, _, _): incarnation
        case .lost(let lost): lost.incarnation
        case .recall(let recall): recall.incarnation
        }
    }
}

extension IncomingAppend {
    init(_ request: HealRequest, bytes: Int) {
        switch request {
        case .reoffer(let offer):
            self.init(
                firstSequence: offer.firstSequence,
                events: offer.events.map { IncomingEvent(decoding: $0.envelope) }, bytes: bytes,
                healing: .reoffer(offer.incarnation, offer.events.map(\.outcome), code: offer.code))
        case .lost(let lost):
            self.init(firstSequence: lost.first, events: [], bytes: bytes, healing: .lost(lost))
        }
    }

    init(_ recall: Recall, bytes: Int) {
        self.init(firstSequence: recall.firstSequence, events: [], bytes: bytes, healing: .recall(recall))
    }
}

/// Where an event of an append goes, and what is known of it.
struct Place {
    var sequence: DeviceSequence
    var incarnation: Incarnation
    /// What the device says became of it before the log lost it; nil: it comes for the first time.
    var offered: Outcome?
    /// Its receipt is genuine: it was logged so.
    var isProved: Bool

    init(sequence: DeviceSequence, incarnation: Incarnation, _ offer: (outcome: Outcome, isProved: Bool)?) {
        self.sequence = sequence
        self.incarnation = incarnation
        offered = offer?.outcome
        isProved = offer?.isProved ?? false
    }
}

/// Makes the receipts of one append: one for each run of events that it logged.
struct ReceiptRun {
    let key: ReceiptKey?
    let subject: ReceiptSubject
    private var receipts: [Receipt] = []
    private var hash = EnvelopeHash()
    private var first = DeviceSequence.zero
    private var through = DeviceSequence.zero

    init(key: ReceiptKey?, subject: ReceiptSubject) {
        self.key = key
        self.subject = subject
    }

    mutating func add(_ envelope: Envelope, _ outcome: Outcome, at sequence: DeviceSequence) {
        guard key != nil else { return }
        if sequence != through.next || first == .zero {
            close()
            first = sequence
        }
        hash.add(envelope, outcome)
        through = sequence
    }

    mutating func finish() -> [Receipt] {
        close()
        return receipts
    }

    private mutating func close() {
        guard let key, first > .zero else { return }
        receipts.append(key.receipt(subject, first: first, through: through, hash: hash))
        hash = EnvelopeHash()
        first = .zero
    }
}
