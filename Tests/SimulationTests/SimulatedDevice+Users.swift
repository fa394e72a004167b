import FocusCore
import FocusWire

@testable import FocusSyncClient

/// What a user does with a device, and the network to it.
extension SimulatedDevice {
    /// A random action of the user or the network.
    func act() {
        guard !simulation.isHealed, !isGone, actions < simulation.plan.actions else { return }
        actions += 1
        do {
            switch random.number(0..<20) {
            case 0: goOffline()
            case 1: if random.once(in: 3) { die() }
            case 2: isSlow.toggle()
            // Mostly while events are under way: a restored store then offers them again in another incarnation.
            case 3, 6:
                if try storage.hasQueued || random.once(in: 4) {
                    try storage.backUp()
                    record.backedUp()
                }
            case 7, 8, 9:
                guard random.once(in: simulation.plan.faults.forgets) else { break }
                // Acknowledgements make events leave, and while a connection heals none comes (rule S6).
                guard try session?.isLive != true || !storage.isHealing else { break }
                simulation.trace("\(self) forgets old events")
                try storage.forgetHeld(receipts: random.number(1...4))
                try noteHeld()
            case 4 where random.once(in: simulation.plan.faults.restore): try restore()
            case 12 where random.once(in: simulation.plan.faults.clones): try simulation.clone(self)
            case 13 where random.once(in: simulation.plan.faults.repeats): try sendAgain()
            case 10 where watches: watchOthers()
            case 11 where scope == .system && random.once(in: simulation.plan.faults.revokes): try revoke()
            case 5:
                let all = RowCollection.allCases.filter(\.isPublic).sorted()
                let asked = random.once(in: 4) ? [] : [random.element(all), random.element(all)]
                if session?.isLive == true { link?.send(FrameCodec.frame(ClientMessage.resync(asked))) }
            case 14, 15:
                let report = ClientMessage.active(random.once(in: 2), app: random.element([nil] + RandomLife.apps))
                if session?.isLive == true { link?.send(FrameCodec.frame(report)) }
            default:
                let count = random.once(in: simulation.plan.bulk) ? random.number(100...400) : random.number(1...3)
                try append((0..<count).map { _ in draft() })
            }
        } catch {
            simulation.witness.fail("\(self): \(error)")
        }
        simulation.after(random.number(1_000...simulation.plan.pause), rank: rank) { [weak self] in self?.act() }
    }

    /// The device and its store disappear for good.
    func leaveForGood() {
        guard !isGone else { return }
        simulation.trace("\(self) goes for good")
        isGone = true
        isOffline = true
        leave(losing: random.once(in: 2))
    }

    /// Sends acknowledged events again, as a delayed frame would; the server answers them again.
    private func sendAgain() throws {
        guard session?.isLive == true, try !storage.isHealing, try !storage.isRecalling else { return }
        let (current, acknowledged) = (try storage.incarnation, try storage.queueRange.acknowledged)
        let held = try storage.heldEnvelopes().filter { $0.incarnation == current && $0.sequence <= acknowledged }
        guard !held.isEmpty else { return }
        let first = random.number(0..<held.count)
        var run = [held[first]]
        for next in held[(first + 1)...] where next.sequence == run[run.count - 1].sequence.next { run.append(next) }
        simulation.trace("\(self) sends \(run.count) events from \(run[0].sequence) on again")
        let request = AppendRequest(firstSequence: run[0].sequence, envelopes: run.map(\.envelope))
        link?.send(request)
    }

    private func revoke() throws {
        guard simulation.clock.now > simulation.plan.duration / 3 else { return }
        let own = simulation.devices.filter { $0.user == user }
        let target = random.element(own)
        simulation.trace("\(self) revokes \(target)")
        try append([EventDraft(.deviceRevoked(DeviceRevoked(device: target.id)), app: nil)])
    }

    private func goOffline() {
        simulation.trace("\(self) goes offline")
        isOffline = true
        if random.once(in: 2) { link?.send(FrameCodec.frame(ClientMessage.bye)) }
        leave(losing: random.once(in: 2))
        simulation.after(random.number(1_000...3_000_000), rank: rank) { [weak self] in self?.comeOnline() }
    }

    private func comeOnline() {
        guard isOffline, !isGone else { return }
        isOffline = false
        connect(in: 1)
    }

    func heal() {
        isSlow = false
        if isClone { return leaveForGood() }
        if isOffline { comeOnline() }
    }

    private func draft() -> EventDraft {
        let (body, app) =
            random.once(in: simulation.plan.watches ? 3 : 0)
            ? simulation.life.sharing(&random, scope) : simulation.life.event(&random, scope, now: clock)
        var draft = EventDraft(body, app: app)
        draft.id = EventID(random.uuid())
        if random.once(in: 40), !draft.payload.isEmpty { draft.payload.removeLast() }
        return draft
    }

    func append(_ drafts: [EventDraft]) throws {
        let drafts = drafts.map { draft in
            var draft = draft
            if draft.id == nil { draft.id = EventID(random.uuid()) }
            return draft
        }
        let events = try storage.enqueue(drafts, clock: time.now(clock: clock, at: uptime))
        record.queued(events)
        if let last = events.last { perform { $0.queued(through: last.sequence) } }
    }
}
