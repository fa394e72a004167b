import FocusCore

/// The events of a re-offered frame that follow a conflict (rule S6). In a session of protocol 1 the server stores none
/// of them, although the log may lack them.
///
/// The last of them is offered first, alone. If it conflicts too, the log has events at all these places. If the server
/// reports a gap, it names the place where the log goes on: the events from there on are offered, without the receipt,
/// which proves only the whole frame. So a frame whose places all have events of another store costs two frames, and
/// not one for each event.
struct HealingRest: Hashable, Sendable {
    /// All events that follow the conflict, without the receipt.
    private let offer: Reoffer
    /// The first place that has another event.
    let conflict: DeviceSequence
    /// The first sequence that is offered.
    var from: DeviceSequence

    /// Nil when the frame has no event after the sequence.
    init?(_ request: HealRequest, behind sequence: DeviceSequence, conflict: DeviceSequence) {
        guard case .reoffer(let offer) = request, offer.firstSequence <= sequence, sequence < request.lastSequence
        else { return nil }
        self.offer = offer.events(from: sequence.next)
        self.conflict = conflict
        from = request.lastSequence
    }

    var incarnation: Incarnation { offer.incarnation }

    var request: HealRequest { .reoffer(offer.events(from: from)) }

    /// Whether there is an event for that place that was not offered yet.
    func holds(_ sequence: DeviceSequence) -> Bool { offer.firstSequence <= sequence && sequence < from }

    /// The places from the conflict up to the first one that is offered.
    var passedOver: LostEvents {
        LostEvents(incarnation: offer.incarnation, first: conflict, last: from.advanced(by: -1))
    }
}

extension Reoffer {
    /// The events from a sequence on, without the receipt, which proves only the whole frame.
    fileprivate func events(from sequence: DeviceSequence) -> Reoffer {
        let events = events.enumerated().filter { firstSequence.advanced(by: $0.offset) >= sequence }.map(\.element)
        return Reoffer(incarnation: incarnation, firstSequence: sequence, events: events, code: [])
    }
}
