extension AppRecord {
    /// A register (domain.md §1).
    mutating func applyRegistered(_ body: AppRegistered, _ shared: inout SharedState) throws(FoldError) {
        let formerName = registration.map { ByteText($0.value.name) }
        guard registration.write(body, shared.event.stamp) else { return }
        let key = RowKey(.apps, app: app)
        shared.touch(key)
        shared.put(key, AppRow(body).encoded)
        writeBadge(&shared)
        writeVisibility(&shared)
        writeSettings(&shared)
        if formerName != ByteText(body.name) { try retitle(&shared) }
    }

    /// Each kind is a register. What depends on it is derived again: badge (B2), visibility (F3), held alerts (N10).
    mutating func applyAuthorization(_ body: AuthorizationChanged, _ shared: inout SharedState) throws(FoldError) {
        let former = status(body.kind)
        guard self[body.kind].write(body.status, shared.event.stamp) else { return }
        let key = RowKey(.authorizations, app: app, key: body.kind.name)
        shared.touch(key)
        shared.put(key, AuthorizationRow(kind: body.kind, status: body.status).encoded)
        guard former != body.status else { return }
        switch body.kind {
        case .notifications:
            writeBadge(&shared)
            writeVisibility(&shared)
            try decideHeldAgain(&shared)
        case .focusStatus: writeVisibility(&shared)
        case .marketing: try decideHeldAgain(&shared)
        case .location, .shareWorkouts, .shareRoutes, .readWorkouts, .readRoutes: break
        }
    }
}
