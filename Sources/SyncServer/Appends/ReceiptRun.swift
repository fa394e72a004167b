import FocusCore

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
