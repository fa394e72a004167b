import FocusCore

extension SyncClient {
    /// Performs the actions of recalling (rule P10), and ignores all others.
    func performRecalling(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .beginRecalling(let reason):
            try store.beginRecalling()
            configuration.onUpdate(.recalling(reason))
        case .sendRecall(let position):
            let (recall, next) = try store.nextToRecall(position)
            return session?.recallSent(recall, next: next) ?? []
        case .keepRecalled(let recalled, let recall):
            try resolveAppends(store.keepRecalled(recalled, recall, clock: configuration.clock()))
        case .endRecalling(let report, let offersHeld):
            try store.endRecalling(offersHeld: offersHeld)
            try publishConfirmed([])
            configuration.onUpdate(.recalled(report))
            checkWaiters()
        case .send, .sendAppend, .acknowledge, .beginHealing, .sendHealing, .keepHealed, .endHealing, .beginIncarnation,
            .beginStaging, .stage, .finishSnapshot, .finishDelta, .apply, .compare, .getToken, .report, .fetched,
            .fetchFailed, .peers, .end:
            break
        }
        return []
    }
}
