import FocusCore

@testable import EventStore

/// What rebuilds do to the read model, and what must hold of it.
extension SimulatedLog {
    /// The user's last version.
    func version(of user: UserID) -> Version {
        events[identity.partition(of: user)]?.last { $0.user == user }?.version ?? .zero
    }

    /// A commit that waits for the disk, and for the standby, has everything before it there too.
    func becameDurable() {
        replicate()
        flush()
    }

    /// Puts into a part what it lacks of a user.
    func project(_ user: ProjectedUser, _ part: inout SimulatedReadModel.Part) {
        judgeRows(user, part)
        var shown = part.users[user.user] ?? SimulatedReadModel.Shown()
        for row in user.rows { shown.rows[row.key] = row.row }
        if shown.version <= user.version { shown.show(user) }
        part.users[user.user] = shown
    }

    // MARK: Rebuilds

    /// Begins a rebuild by a fold, or a rollback to a generation that was kept.
    func beginRebuild(_ kept: Int32?, foldVersion: Int32) {
        let generation = kept ?? model.create(identity.allPartitions, foldVersion: foldVersion)
        model.begin(generation, kept == nil ? .filling : .comparing, heads: identity.allPartitions.map { head($0) })
        commitRebuild()
    }

    func finishRebuild() {
        model.unfinished = nil
        commitRebuild()
    }

    /// Drops the generations that no partition shows.
    func dropHidden() {
        for generation in model.hidden where !locks.isMoving(generation) { model.drop(generation) }
        if let unfinished = model.unfinished, model.builds[unfinished] == nil { model.unfinished = nil }
        commitRebuild()
    }

    func commitRebuild() {
        journal.append(.readModel(model))
        becameDurable()
    }

    /// Has a partition show a generation.
    /// - Parameter notices: the events of the same transaction, by which devices hear of differences.
    func show(_ generation: Int32, in partition: Partition, telling notices: [LoggedEvent]) {
        let before = model.generation(of: partition)
        guard let (old, new) = try? (model.part(partition, in: before), model.part(partition, in: generation)) else {
            return witness.fail("a generation is shown that was dropped")
        }
        trace?("partition \(partition) shows generation \(generation), and \(notices.count) events tell of it")
        model.show(generation, in: partition)
        if model.folds[before] == model.folds[generation] { judge(notices, old, new) }
        judge(Set(old.altered.keys).union(new.altered.keys), in: partition, old, new, notices)
        judgeCheckpoints(of: partition)
        for user in Set(old.altered.keys).union(new.altered.keys) {
            let told = notices.count { $0.user == user }
            let end = Version(version(of: user).rawValue - Int64(told))
            witness.showsAltered(user, through: new.altered[user] == nil ? end : nil)
        }
    }

    /// Rule S8: devices hear of the rows that are different, and of nothing else.
    private func judge(
        _ notices: [LoggedEvent], _ old: SimulatedReadModel.Part, _ new: SimulatedReadModel.Part
    ) {
        for notice in notices {
            guard case .projectionRebuilt(let told)? = try? notice.decoded().body else {
                return witness.fail("a cut-over appends \(notice.type)")
            }
            let altered = old.altered[notice.user, default: []].union(new.altered[notice.user, default: []])
            guard let row = told.rows.first(where: { !altered.contains($0) }) else { continue }
            witness.fail("S8: \(notice.user) is told of \(row.collection) \(row.key), which is the same as before")
        }
    }

    /// Rule S8: devices hear of every row that looks otherwise from now on.
    private func judge(
        _ altered: Set<UserID>, in partition: Partition, _ old: SimulatedReadModel.Part,
        _ new: SimulatedReadModel.Part, _ notices: [LoggedEvent]
    ) {
        for user in altered.sorted() {
            // A notice that is folded in changes versions alone.
            guard let before = try? stored(user, partition, old).folded(.current).state,
                let after = try? stored(user, partition, new).folded(.current).state
            else { continue }
            var told: Set<RowKey> = []
            for notice in notices where notice.user == user {
                if case .projectionRebuilt(let body)? = try? notice.decoded().body { told.formUnion(body.rows) }
            }
            let looks = { (state: UserState, key: RowKey) in state.row(key).flatMap { $0.isDeleted ? nil : $0.value } }
            let silent = Set(before.rowKeys).union(after.rowKeys).first {
                $0.collection.isPublic && looks(before, $0) != looks(after, $0) && !told.contains($0)
            }
            if let silent { witness.fail("S8: \(user) is not told that \(silent.collection) \(silent.key) differs") }
        }
    }

    /// Whether a generation is shown, in every partition the same, that nobody has altered and that this fold has made.
    func isRebuilt(by foldVersion: Int32) -> Bool {
        model.unfinished == nil && Set(model.shown.values).count == 1
            && identity.allPartitions.allSatisfy {
                model[$0].altered.isEmpty && model.folds[model.generation(of: $0)] == foldVersion
            }
    }
}
