/// Names a delta that sessions of one user have in common: from one version to another, as one kind of view shows it.
/// Which device asks matters for refusals alone (rule E2), and a delta with refusals is not shared.
public struct SharedDelta: Hashable, Sendable {
    let from: Version
    let to: Version
    /// The mark of `to` in a silent view (`StreamHead.event`); nil in any other.
    let mark: EventID?
    let scope: Scope
    let deviceClass: DeviceClass
    let isClassProven: Bool
    let collections: Set<RowCollection>?
}

extension Subscription {
    /// What `advance` is about to make, if it is a delta that takes this session to the state's version. Sessions for
    /// which it is equal, with the same state and limits, get the same messages, byte by byte.
    public func nextDelta(_ state: borrowing UserState) -> SharedDelta? {
        guard case .live(let version) = phase else { return nil }
        let head = state.head(of: view)
        guard version < head.version, version >= head.horizon, mayContinue(from: version, state) else { return nil }
        return SharedDelta(
            from: version, to: head.version, mark: view.isSilent ? head.event : nil, scope: view.scope,
            deviceClass: view.deviceClass,
            isClassProven: view.isClassProven, collections: view.collections)
    }

    /// Replaces `advance`: the session gets what another session's `advance` made of the delta.
    public mutating func adopt(_ delta: SharedDelta) {
        owesCheckpoint = true
        phase = .live(delta.to)
        mark = delta.mark
    }
}

extension UserState {
    /// Whether these messages are all of the delta, and the same for every device that it is due to.
    public func mayShare(_ messages: [ServerMessage], of delta: SharedDelta) -> Bool {
        switch (messages.first, messages.count) {
        // Nothing that the view holds changed.
        case (nil, 0): break
        case (.delta(delta.from, _, let cursor), 1) where cursor.version == delta.to: break
        default: return false
        }
        return !shared.store.changesRefusals(after: delta.from, in: delta.mark == nil ? nil : delta.scope.app)
    }
}

extension RowStore {
    /// Whether refusals, of whatever device, are among the rows changed since.
    /// - Parameter app: the app whose stream the version is of; nil: the user's.
    func changesRefusals(after version: Version, in app: AppID?) -> Bool {
        let order = app.flatMap { stream(of: $0) }?.order ?? order
        return order.changes[order.firstIndex(atOrAfter: version.next)...].contains {
            rows.entries[$0.number].key.collection == .refusals
        }
    }
}
