import FocusCore
import FocusSyncClient
import FocusWire

/// Performs healing (rule S6) as `SyncClient+Healing` does; some devices forge what they re-offer.
extension SimulatedDevice {
    /// Tells the record which events the store still holds.
    func noteHeld() throws { record.holds(Set(try storage.held().map(\.event)), try storage.incarnation) }

    func performHealing(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .beginHealing(let logged):
            // A healing that the device begins by itself, with a new incarnation, shows in `isHealing`.
            // Where the read model was wrong, the event at which an app's stream stands may be another one.
            let mayBeAltered = try storage.cursor.map {
                simulation.witness.mayBeAltered(user, at: $0, in: view(of: $0))
            }
            if simulation.history == 0, try !storage.isHealing, mayBeAltered != true {
                simulation.witness.fail("S6: the log lost nothing, and \(self) is told that it ends at \(logged)")
            }
            try commit { try storage.beginHealing(logged: logged) }
        case .sendHealing(let position, let maximumBytes):
            // Small frames, so that several are under way at once.
            let (request, next) = try storage.nextToHeal(position, maximumBytes: min(maximumBytes, 400))
            if let request {
                if case .lost(let lost) = request { try declares(lost) }
                simulation.trace("\(self) heals \(request.incarnation) from \(request.firstSequence) on")
                let sent = forged(request)
                if case .reoffer(let offer) = sent { simulation.witness.offered(offer, self) }
                link?.send(FrameCodec.frame(ClientMessage.heal(sent)))
            }
            return session?.healingSent(request, next: next) ?? []
        case .keepHealed(let appended, let request):
            try commit {
                try storage.keepHealed(appended, request)
                record.healed(appended, request, history: history, simulation.witness, self)
            }
        case .endHealing(let report):
            if !report.conflicts.isEmpty, !record.wasEverRestored {
                simulation.witness.fail("S6: \(self) finds others' events in its places: \(report.conflicts)")
            }
            if !report.conflicts.isEmpty { record.noteConflicts() }
            try commit { try storage.endHealing() }
        case .send, .sendAppend, .acknowledge, .beginRecalling, .sendRecall, .keepRecalled, .endRecalling,
            .beginIncarnation, .beginStaging, .stage, .finishSnapshot, .finishDelta, .apply, .compare, .getToken,
            .report, .fetched, .fetchFailed, .peers, .end:
            break
        }
        return []
    }

    /// Checks that the device holds no event that it declares lost.
    func declares(_ lost: LostEvents) throws {
        simulation.trace("\(self) declares \(lost.first) to \(lost.last) of \(lost.incarnation) lost")
        let held = try storage.held().first {
            $0.incarnation == lost.incarnation && (lost.first...lost.last).contains($0.sequence)
        }
        if let held { simulation.witness.fail("S6: \(self) declares \(held.event) lost, and holds it") }
    }

    /// Forges a re-offer: another code, another time, or a refused event presented as accepted.
    private func forged(_ request: HealRequest) -> HealRequest {
        guard case .reoffer(var offer) = request, random.once(in: simulation.plan.faults.forges) else { return request }
        simulation.trace("\(self) forges \(offer.incarnation), \(offer.firstSequence)")
        simulation.witness.forged(self)
        let index = random.number(0..<offer.events.count)
        switch random.number(0..<3) {
        case 0: offer.code = offer.code.map { $0 ^ 1 }
        case 1:
            let time = offer.events[index].envelope.occurredAt
            offer.events[index].envelope.occurredAt = time.adding(microseconds: 1)
        default:
            offer.events[index].outcome = .accepted
            offer.events[index].envelope.schemaVersion = 1
        }
        return .reoffer(offer)
    }
}
