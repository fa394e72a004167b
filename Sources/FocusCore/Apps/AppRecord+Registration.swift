extension UserState {
    /// A register (domain.md §1).
    mutating func applyAppRegistered(
        _ body: AppRegistered, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        let key = RowKey(.apps, app: apps[slot].app)
        let formerName = apps[slot].registration?.value.name
        guard apps[slot].registration.write(body, context.stamp) else { return }
        context.touch(key)
        put(key, AppRow(body).encoded, &context)
        writeBadge(slot, &context)
        writeVisibility(slot, &context)
        writeSettings(slot, &context)
        if formerName != body.name { try retitle(slot, &context) }
    }

    /// Each kind is a register. What depends on it is derived again: badge (B2), visibility (F3), held alerts (N10).
    mutating func applyAuthorization(
        _ body: AuthorizationChanged, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        let former = apps[slot].status(body.kind)
        guard apps[slot][body.kind].write(body.status, context.stamp) else { return }
        let key = RowKey(.authorizations, app: apps[slot].app, key: body.kind.name)
        context.touch(key)
        put(key, AuthorizationRow(kind: body.kind, status: body.status).encoded, &context)
        guard former != body.status else { return }
        switch body.kind {
        case .notifications:
            writeBadge(slot, &context)
            writeVisibility(slot, &context)
            try decideHeldAgain(slot, &context)
        case .focusStatus: writeVisibility(slot, &context)
        case .location, .shareWorkouts, .shareRoutes, .readWorkouts, .readRoutes, .marketing: break
        }
    }
}
