/// Names a delta that sessions of one user have in common: from one version to another, as one kind of view shows it.
/// Which device asks matters for refusals alone (rule E2), and a delta with refusals is not shared.
public struct SharedDelta: Hashable, Sendable {
    let from: Version
    let to: Version
    let scope: Scope
    let deviceClass: DeviceClass
    let isClassProven: Bool
    let collections: Set<RowCollection>?
}

extension Subscription {
    /// What `advance` is about to make, if it is a delta that takes this session to the state's version. Sessions for
    /// which it is equal, with the same state and limits, get the same messages, byte by byte.
    public func nextDelta(_ state: borrowing UserState) -> SharedDelta? {
        guard case .live(let version) = phase, version < state.version, version >= state.horizon else { return nil }
        return SharedDelta(
            from: version, to: state.version, scope: view.scope, deviceClass: view.deviceClass,
            isClassProven: view.isClassProven, collections: view.collections)
    }

    /// Replaces `advance`: the session gets what another session's `advance` made of the delta.
    public mutating func adopt(_ delta: SharedDelta) {
        owesCheckpoint = true
        phase = .live(delta.to)
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
        return !shared.store.changesRefusals(after: delta.from)
    }
}

extension RowStore {
    /// Whether refusals, of whatever device, are among the rows changed since.
    func changesRefusals(after version: Version) -> Bool {
        order.changes[order.firstIndex(atOrAfter: version.next)...].contains {
            rows.entries[$0.number].key.collection == .refusals
        }
    }
}
