import FocusCore

/// What a device says of events that it sent before: it brings them back to a log that lost its tail, or declares them
/// lost (rule S6), or asks what became of them (rule P10).
enum IncomingHealing: Sendable {
    /// The outcomes that the device claims for the append's events, and the code of their receipt; an empty code is
    /// none.
    case reoffer(Incarnation, [Outcome], code: [UInt8])
    case lost(LostEvents)
    case recall(Recall)

    /// The incarnation that the events are of, which need not be the session's.
    var incarnation: Incarnation {
        switch self {
        case .reoffer(let incarnation, _, _): incarnation
        case .lost(let lost): lost.incarnation
        case .recall(let recall): recall.incarnation
        }
    }
}

extension IncomingAppend {
    /// - Parameter events: those that a Reoffer gives back; nil: they are decoded now.
    init(_ request: HealRequest, _ events: [IncomingEvent]?, charge: InboundCharge) {
        switch request {
        case .reoffer(let offer):
            self.init(
                firstSequence: offer.firstSequence,
                events: events ?? offer.events.map { IncomingEvent(decoding: $0.envelope) }, charge: charge,
                healing: .reoffer(offer.incarnation, offer.events.map(\.outcome), code: offer.code))
        case .lost(let lost):
            self.init(firstSequence: lost.first, events: [], charge: charge, healing: .lost(lost))
        }
    }

    init(_ recall: Recall, charge: InboundCharge) {
        self.init(firstSequence: recall.firstSequence, events: [], charge: charge, healing: .recall(recall))
    }
}
