import FocusCore

/// How far an append frame has come whose events take more than one statement. What it says is in the log; its device
/// is answered once, when the rest is.
struct AppendProgress {
    /// How many of the frame's events are dealt with.
    var taken = 0
    var refused: [RefusedEvent] = []
    var receipts: ReceiptRun
    /// For each event of a re-offer, the outcome that the device claims, and whether a receipt proves it.
    let offer: [(outcome: Outcome, isProved: Bool)]?

    init(_ receipts: ReceiptRun, offer: [(outcome: Outcome, isProved: Bool)]?) {
        (self.receipts, self.offer) = (receipts, offer)
    }
}
