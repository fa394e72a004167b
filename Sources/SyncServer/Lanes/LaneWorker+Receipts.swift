import EventStore
import FocusCore
import FocusWire

/// Rule P2: an append whose acknowledgement was lost is answered as the first time, with its receipt too. What is in the
/// log counts for that, not what the device sends now: a receipt of anything else would let it past every rule.
extension LaneWorker {
    /// How far back in the user's stream a repeated event is looked for. Beyond it the answer has no receipt.
    private static let lookedAtVersions = 10_000

    /// The logged events that the append repeats, by sequence. One look-up, only for appends that repeat some.
    func repeatedEvents(
        _ request: IncomingAppend, of session: LaneSession, _ user: CachedUser
    ) -> [DeviceSequence: LoggedEvent] {
        guard context.receiptKey != nil, request.healing == nil, let first = request.events.first else { return [:] }
        let incarnation = session.incarnation
        let isRepeated = user.reading { state in
            let check = state.check(
                device: session.identity.device, incarnation: incarnation, sequence: request.firstSequence,
                event: first.envelope.id)
            if case .duplicate = check { return true } else { return false }
        }
        guard isRepeated, request.firstSequence > .zero else { return [:] }
        let past = Version(max(0, user.state.version.rawValue - Int64(Self.lookedAtVersions)))
        do {
            let logged = try store.events(
                of: user.id, partition: user.partition, device: session.identity.device, incarnation: incarnation,
                sequences: request.firstSequence...request.firstSequence.advanced(by: request.events.count - 1),
                after: past)
            return Dictionary(logged.map { ($0.sequence, $0) }) { first, _ in first }
        } catch {
            // The answer is right without receipts.
            return [:]
        }
    }
}

extension LoggedEvent {
    /// What became of the envelope, if it is the one that was logged here; nil: it is another, or only takes a place.
    func outcome(of envelope: Envelope) -> Outcome? {
        guard id == envelope.id, occurredAt == envelope.occurredAt.stored else { return nil }
        guard type == EventType.eventRefused.rawValue else {
            let isSame =
                type == envelope.type && app == envelope.app.flatMap(AppID.init) && payload == envelope.payload
                && schemaVersion == envelope.schemaVersion
            return isSame ? .accepted : nil
        }
        guard case .eventRefused(let refused) = try? decoded().body, refused.type == envelope.type,
            refused.code != RefusalCode.alreadyLogged.rawValue
        else { return nil }
        return .refused(code: refused.code, message: refused.message)
    }
}
