import FocusCore

extension SyncClient {
    /// Performs the actions of a healing (rule S6), and ignores all others.
    func performHealing(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .beginHealing(let logged):
            let acknowledged = try store.queueRange.acknowledged
            try store.beginHealing(logged: logged)
            try publishConfirmed([])
            configuration.onUpdate(.healing(logged: logged, acknowledged: acknowledged))
        case .sendHealing(let position, let maximumBytes):
            let (request, next) = try store.nextToHeal(position, maximumBytes: maximumBytes)
            if let request { connection?.send(.heal(request)) }
            return session?.healingSent(request, next: next) ?? []
        case .keepHealed(let appended, let request): try store.keepHealed(appended, request)
        case .endHealing(let report):
            try store.endHealing()
            try publishConfirmed([])
            configuration.onUpdate(.healed(report))
            checkWaiters()
        case .send, .sendAppend, .acknowledge, .beginRecalling, .sendRecall, .keepRecalled, .endRecalling,
            .beginIncarnation, .beginStaging, .stage, .finishSnapshot, .finishDelta, .apply, .compare, .getToken,
            .report,
            .fetched, .fetchFailed, .peers, .end:
            break
        }
        return []
    }
}
