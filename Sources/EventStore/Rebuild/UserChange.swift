import FocusCore

/// Which of a user's rows a new generation shows otherwise than the one before it. Devices have to hear of them (rule
/// S8).
struct UserChange {
    private var keys: Set<RowKey> = []
    /// The rows that differ in any bit, memos and internal collections included.
    private var unlike: Set<RowKey> = []
    /// The tombstone horizon of the rows shown before (rule S5), if it is above that of the new state; zero otherwise.
    private(set) var horizon = Version.zero
    /// The new state's horizon when the rows were compared.
    private var judgedBy = Version.zero

    /// Whether devices have nothing to hear. Rows that devices never see may still differ.
    var isEmpty: Bool { keys.isEmpty && horizon == .zero }
    /// Whether no row differs in any bit: a state that was loaded from one generation is right for the other.
    var isIdentical: Bool { unlike.isEmpty && isEmpty }
    /// The rows that devices have to hear of, sorted; all are of public collections.
    var rows: [RowKey] { keys.sorted() }
    var rowCount: Int { keys.count }

    /// - Parameters:
    ///   - shown: the rows that devices may hold, at `version`.
    ///   - state: the user's state in the new generation. A row that an event changed after `version` counts as
    ///     changed, because nobody knows how the fold of the other generation would have made it.
    init(from shown: [RowKey: Row], at version: Version, to state: borrowing UserState) {
        judge(Set(shown.keys).union(state.rowKeys), from: shown, at: version, to: state)
    }

    /// Compares again after an event was folded into both sides.
    /// - Parameter touched: the rows that the event may have changed on either side.
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

    /// The row as devices may see it; nil when they do not. A deleted row at version 0 is there for its memo alone.
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

    /// The bodies of the events by which devices hear of the change, each within the bounds of its type.
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
