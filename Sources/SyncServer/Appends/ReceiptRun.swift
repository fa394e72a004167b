import FocusCore

/// Makes the receipts of one answer (rule S6): one for each run of events with consecutive sequences.
struct ReceiptRun {
    let key: ReceiptKey?
    let subject: ReceiptSubject
    private var receipts: [Receipt] = []
    private var hash = EnvelopeHash()
    private var first = DeviceSequence.zero
    private var through = DeviceSequence.zero

    /// - Parameter key: nil: no receipts are made.
    init(key: ReceiptKey?, subject: ReceiptSubject) {
        self.key = key
        self.subject = subject
    }

    /// Adds an event that is logged with this outcome. Sequences must ascend.
    mutating func add(_ envelope: Envelope, _ outcome: Outcome, at sequence: DeviceSequence) {
        guard key != nil else { return }
        if sequence != through.next || first == .zero {
            close()
            first = sequence
        }
        hash.add(envelope, outcome)
        through = sequence
    }

    /// The receipts of all events that were added.
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
