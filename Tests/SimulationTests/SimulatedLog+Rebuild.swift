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
        for generation in model.hidden { model.drop(generation) }
        if let unfinished = model.unfinished, model.builds[unfinished] == nil { model.unfinished = nil }
        commitRebuild()
    }

    private func commitRebuild() {
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

    // MARK: Another fold

    /// Changes a row of the generation that is shown, as if a fold had been wrong. Not while a rebuild is under way, which
    /// has compared the rows: they change with events only.
    /// - Returns: false if that cannot be now.
    func alter(_ random: inout SeededGenerator, _ users: [UserID]) -> Bool {
        let user = random.element(users)
        let partition = identity.partition(of: user)
        guard model.unfinished == nil, let shown = model[partition].users[user] else { return false }
        let rows = shown.rows.filter {
            $0.key.collection == .preferences && !$0.value.isDeleted && $0.value.version > .zero
        }
        guard !rows.isEmpty else { return false }
        let (key, row) = random.element(rows.sorted { $0.key < $1.key })
        var (changed, altered) = (key, row)
        var isRemoved = false
        switch random.number(0..<4) {
        case 0: altered.value = PreferenceRow(value: .integer(77)).encoded
        case 1: altered.version = shown.version
        case 2: isRemoved = true
        default: changed = RowKey(.preferences, app: key.app, key: "zz")
        }
        trace?("\(key.key) of \(user) is altered")
        model.change(partition, in: model.generation(of: partition)) { part in
            part.users[user]?.rows[changed] = isRemoved ? nil : altered
            part.altered[user, default: []].insert(changed)
        }
        witness.showsAltered(user, through: nil)
        commitRebuild()
        return true
    }

    /// Whether a generation is shown, in every partition the same, that nobody has altered and that this fold has made.
    func isRebuilt(by foldVersion: Int32) -> Bool {
        model.unfinished == nil && Set(model.shown.values).count == 1
            && identity.allPartitions.allSatisfy {
                model[$0].altered.isEmpty && model.folds[model.generation(of: $0)] == foldVersion
            }
    }
}
