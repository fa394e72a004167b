import FocusCore

/// What a frame of re-offered events held behind a conflict (rule S6): in a session of protocol 1 the server takes
/// nothing of that, and the log may lack it.
///
/// First the last event is offered alone. A conflict says that the log has all these places. A gap says where it goes
/// on: from there the others are offered, without the receipt, which proves only the whole frame. So a frame whose
/// places are all another store's costs two frames, not one for each event.
struct HealingRest: Hashable, Sendable {
    /// All events behind the conflict, without the receipt.
    private let offer: Reoffer
    /// The first place that is another event's.
    let conflict: DeviceSequence
    /// Where what is offered begins.
    var from: DeviceSequence

    /// Nil: there is nothing behind the sequence.
    init?(_ request: HealRequest, behind sequence: DeviceSequence, conflict: DeviceSequence) {
        guard case .reoffer(let offer) = request, offer.firstSequence <= sequence, sequence < request.lastSequence
        else { return nil }
        self.offer = offer.events(from: sequence.next)
        self.conflict = conflict
        from = request.lastSequence
    }

    var incarnation: Incarnation { offer.incarnation }

    var request: HealRequest { .reoffer(offer.events(from: from)) }

    /// Whether it holds an event for that place, and has not offered it yet.
    func holds(_ sequence: DeviceSequence) -> Bool { offer.firstSequence <= sequence && sequence < from }

    /// The places before what is offered.
    var passedOver: LostEvents {
        LostEvents(incarnation: offer.incarnation, first: conflict, last: from.advanced(by: -1))
    }
}

extension Reoffer {
    /// Without the receipt, which is of the whole frame.
    fileprivate func events(from sequence: DeviceSequence) -> Reoffer {
        let events = events.enumerated().filter { firstSequence.advanced(by: $0.offset) >= sequence }.map(\.element)
        return Reoffer(incarnation: incarnation, firstSequence: sequence, events: events, code: [])
    }
}
