import FocusCore

@testable import EventStore

/// Rows of the read model that are not what the events make, as if a fold had been wrong.
extension SimulatedLog {
    /// Changes rows of some users in the generations that are shown. Not while a rebuild is under way, which has compared
    /// the rows: they change with events only.
    /// - Parameter counted: users with sessions that count by the stream of their app.
    /// - Returns: whether any were changed.
    func alter(_ random: inout SeededGenerator, _ users: [UserID], _ counted: Set<UserID>) -> Bool {
        guard model.unfinished == nil else { return false }
        var isAltered = false
        // A row is made wrong once: devices would keep what a second change took back, and no notice would name it.
        let right = users.filter { model[identity.partition(of: $0)].altered[$0] == nil }
        for user in right where !random.once(in: 3) {
            for _ in 0..<random.number(1...3) where alterRow(of: user, &random, counted.contains(user)) {
                isAltered = true
            }
        }
        guard isAltered else { return false }
        commitRebuild()
        alteredAt = commits
        return true
    }

    private func alterRow(of user: UserID, _ random: inout SeededGenerator, _ isCounted: Bool) -> Bool {
        let partition = identity.partition(of: user)
        // An event that is folded into a row made wrong since would leave another mark in its app's stream.
        guard var shown = model[partition].users[user], shown.version == version(of: user) else { return false }
        let rows = shown.rows.filter {
            $0.key.collection == .preferences && !$0.value.isDeleted && $0.value.version > .zero
        }
        guard !rows.isEmpty else { return false }
        let (key, row) = random.element(rows.sorted { $0.key < $1.key })
        var (changed, altered) = (key, row)
        var isRemoved = false
        // An event that changes a row to what it was before is no step of its app's stream, and is one where the row was
        // made wrong: who counts by that stream gets other wrong rows.
        switch random.number(isCounted ? 2..<4 : 0..<4) {
        case 0: altered.value = PreferenceRow(value: .integer(77)).encoded
        case 1: isRemoved = true
        case 2: altered.version = shown.version
        default: changed = RowKey(.preferences, app: key.app, key: "zz")
        }
        guard model[partition].altered[user]?.contains(changed) != true else { return false }
        trace?("\(changed.key) of \(user) is altered")
        shown.rows[changed] = isRemoved ? nil : altered
        // The sums are those of the rows, whichever fold made them.
        if shown.hasDigests, var state = try? UserState(user: user, version: shown.version, rows: shown.rows) {
            shown.digests = state.storedDigests(hashingAtMost: .max)?.encoded
        }
        model.change(partition, in: model.generation(of: partition)) { part in
            part.users[user] = shown
            part.altered[user, default: []].insert(changed)
        }
        witness.showsAltered(user, through: nil)
        return true
    }
}
