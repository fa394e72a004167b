import DequeModule
import EventStore
import FocusCore
import FocusWire

/// Places of earlier events are looked up beside the lane; the session's later frames wait, so that answers keep their
/// order (rule P6).
extension LaneWorker {
    func lookUp(
        _ places: ClosedRange<DeviceSequence>, of incarnation: Incarnation, _ append: PendingAppend,
        _ session: LaneSession, _ user: CachedUser
    ) {
        let (device, head) = (session.identity.device, tails[user.partition])
        session.looksUp = [append]
        placeFinder.post(
            PlaceQuestion(
                user: user.id, partition: user.partition, generation: head.generation, device: device,
                incarnation: incarnation, places: places,
                known: user.state.placeRuns(of: device, incarnation: incarnation, places), anchor: head.anchor),
            session: session.handle.id)
    }

    /// The session's frames go on, before all that came later.
    func goOn(_ id: UInt64, _ found: FoundPlaces?) {
        guard let session = sessions[id], var first = session.looksUp.first else { return }
        var waiting = session.looksUp
        session.looksUp = []
        if let found {
            first.found = found
            waiting[0] = first
        } else {
            waiting.removeFirst()
            let error = ProtocolError(
                .unavailable, "The log cannot be read at the moment. Send again.", retryAfterMilliseconds: 1_000,
                sequence: first.request.firstSequence)
            note(error, about: first, session)
            let frame = FrameCodec.frame(.error(error))
            deliveries.add(.answered(frame: frame, released: first.request.bytes), to: session.handle)
        }
        for append in waiting.reversed() { appends.prepend(append) }
    }
}
