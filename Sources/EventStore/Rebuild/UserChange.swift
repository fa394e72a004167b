import FocusCore

/// How a generation differs, for one user, from the one shown before it: what devices have to hear (rule S8).
struct UserChange {
    private var keys: Set<RowKey> = []
    /// Rows that are not the same, bit for bit, whether anybody sees them or not.
    private var unlike: Set<RowKey> = []
    /// The tombstone horizon of the rows shown before (rule S5), if that is above the new state's; else zero.
    private(set) var horizon = Version.zero
    /// The new state's horizon, by which rows were judged.
    private var judgedBy = Version.zero

    /// Whether nothing is to be told. Rows that nobody sees may still be different.
    var isEmpty: Bool { keys.isEmpty && horizon == .zero }
    /// Whether all rows are the same, bit for bit: a state that came from the one generation is right for the other.
    var isIdentical: Bool { unlike.isEmpty && isEmpty }
    /// The rows to be told of, all of public collections, sorted.
    var rows: [RowKey] { keys.sorted() }
    var rowCount: Int { keys.count }

    /// - Parameters:
    ///   - shown: the rows that devices may hold, at `version`.
    ///   - state: the user's state from now on. A row that the log changed after `version` counts as changed, because
    ///     it is not known how another fold would show it.
    init(from shown: [RowKey: Row], at version: Version, to state: borrowing UserState) {
        judge(Set(shown.keys).union(state.rowKeys), from: shown, at: version, to: state)
    }

    /// Judges rows again after both sides moved on: only those in `touched` can have changed.
    mutating func update(
        _ touched: Set<RowKey>, from shown: [RowKey: Row], at version: Version, to state: borrowing UserState
    ) {
        guard state.horizon == judgedBy else {
            self = UserChange(from: shown, at: version, to: state)
            return
        }
        judge(touched, from: shown, at: version, to: state)
    }

    private mutating func judge(
        _ touched: Set<RowKey>, from shown: [RowKey: Row], at version: Version, to state: borrowing UserState
    ) {
        for key in touched {
            let (old, new) = (shown[key], state.row(key))
            unlike.set(key, old != new)
            guard key.collection.isPublic else { continue }
            keys.set(
                key, Self.isChanged(Self.seen(old), Self.seen(new), since: version, horizon: state.horizon))
        }
        judgedBy = state.horizon
        let known = shown[RowKey(.stream)].map { UserState.horizon(inStreamMemo: $0.memo) } ?? .zero
        horizon = known > state.horizon ? known : .zero
    }

    /// A row that stands for its memo alone is seen by nobody.
    private static func seen(_ row: Row?) -> Row? {
        row.flatMap { $0.isDeleted && $0.version == .zero ? nil : $0 }
    }

    private static func isChanged(_ old: Row?, _ new: Row?, since version: Version, horizon: Version) -> Bool {
        switch (old, new) {
        case (nil, nil): false
        case (nil, let new?): !new.isDeleted
        // Devices behind the horizon get a snapshot.
        case (let old?, nil): !old.isDeleted || old.version > horizon
        case (let old?, let new?):
            // A lower version would pass over a device that lacks what the higher one brought.
            old.isDeleted != new.isDeleted || old.value != new.value || new.version < old.version
                || new.version > version
        }
    }

    /// The bodies of the events that tell it, each within its bounds.
    func bodies(_ generation: Generation) -> [ProjectionRebuilt] {
        guard !isEmpty else { return [] }
        var bodies = [ProjectionRebuilt(generation: generation.number, rows: [], horizon: horizon)]
        var bytes = 0
        for key in rows {
            let size = key.key.utf8.count + (key.app?.rawValue.utf8.count ?? 0) + 32
            if bodies[bodies.count - 1].rows.count >= ProjectionRebuilt.maximumRows
                || bytes + size > ProjectionRebuilt.maximumKeyBytes
            {
                bodies.append(ProjectionRebuilt(generation: generation.number, rows: []))
                bytes = 0
            }
            bodies[bodies.count - 1].rows.append(key)
            bytes += size
        }
        return bodies
    }
}

extension Set {
    fileprivate mutating func set(_ member: Element, _ isIn: Bool) {
        if isIn { insert(member) } else { remove(member) }
    }
}
