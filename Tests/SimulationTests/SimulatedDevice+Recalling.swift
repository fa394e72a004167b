import FocusCore
import FocusSyncClient

/// Performs recalling (rule P10) as `SyncClient+Recalling` does.
extension SimulatedDevice {
    func performRecalling(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .beginRecalling(let reason):
            simulation.trace("\(self) recalls: \(reason)")
            try commit {
                try storage.beginRecalling()
                record.leaves(reason, history: latestHistory, simulation.witness, self)
            }
        case .sendRecall(let position):
            // Few events in each Recall, so that several are needed.
            let (recall, next) = try storage.nextToRecall(
                position, maximumEvents: simulation.plan.bulk > 0 ? 300 : 3)
            if let recall { simulation.trace("\(self) asks for \(recall)") }
            return session?.recallSent(recall, next: next) ?? []
        case .keepRecalled(let recalled, let recall):
            if history == simulation.history { simulation.witness.recalled(recalled, recall, self) }
            try commit {
                let outcomes = try storage.keepRecalled(recalled, recall, clock: clock)
                record.acknowledged(outcomes, recall.incarnation, history: history, simulation.witness, self)
            }
        case .endRecalling(let report, let offersHeld):
            try commit {
                try storage.endRecalling(drawing: drawIncarnation(), offersHeld: offersHeld)
                simulation.trace("\(self) goes on in \(incarnation): \(report)")
                try noteHeld()
            }
        case .send, .sendAppend, .acknowledge, .beginHealing, .sendHealing, .keepHealed, .endHealing, .beginIncarnation,
            .beginStaging, .stage, .finishSnapshot, .finishDelta, .apply, .compare, .getToken, .report, .fetched,
            .fetchFailed, .peers, .end:
            break
        }
        return []
    }

    func drawIncarnation() -> Incarnation { Incarnation(Int64(random.number(1...1_000_000_000))) }
}
