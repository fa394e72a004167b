import FocusCore
import PostgresClient

/// Compares what the read model shows of a user with what the user's events make, folded afresh. Changes nothing, and
/// appends and projections may go on meanwhile.
///
/// Flow: rows and version in one snapshot → events up to that version, folded from the first one on → row by row, memos
/// too → for what differs, folded once more to find since when.
///
/// Memory: one user's rows twice. The typed columns for people are not compared.
public struct UserVerifier: Sendable {
    /// How many differing rows of a user are kept; the others are counted.
    private let keptRows: Int
    /// Events read at once.
    private let chunk: Int

    private let rules: FoldRules
    private let isStopping: @Sendable () -> Bool

    /// - Parameter isStopping: asked before each event, as a user may have a million; true ends it with `StoreStopped`.
    public init(
        keptRows: Int = 100, chunk: Int = 500, rules: FoldRules = .current,
        isStopping: @escaping @Sendable () -> Bool = { false }
    ) {
        self.rules = rules
        self.isStopping = isStopping
        self.keptRows = keptRows
        self.chunk = chunk
    }

    /// Throws `PostgresError`, `StoreStopped`, and `EventStoreError.corrupt` when the partition does not exist.
    public func verify(
        _ user: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws -> UserVerification {
        try verify(try ShownUser.read(user, in: partition, on: connection), on: connection)
    }

    func verify(_ shown: ShownUser, on connection: PostgresConnection) throws -> UserVerification {
        UserVerification(
            user: shown.user, partition: shown.partition, generation: shown.generation.number, version: shown.version,
            verdict: try verdict(shown, on: connection))
    }

    private func verdict(
        _ shown: ShownUser, on connection: PostgresConnection
    ) throws -> UserVerification.Verdict {
        guard shown.foldVersion == rules.version else { return .otherFold(shown.foldVersion) }
        var refold = Refold(shown.user, chunk: chunk, rules: rules, isStopping: isStopping)
        do {
            try refold.run(in: shown.partition, through: shown.version, on: connection)
        } catch let error as PostgresError {
            throw error
        } catch let stopped as StoreStopped {
            throw stopped
        } catch {
            return .unfoldable(refold.version, reason: "\(error)")
        }
        var difference = rows(shown, refold.state)
        difference.version = Self.version(shown, refold)
        difference.digestsDiffer = Self.digestsDiffer(shown, refold.state)
        guard !difference.isEmpty else { return .equal(rows: shown.rows.count) }
        try date(&difference.rows, shown, through: refold.version, on: connection)
        return .different(difference)
    }

    private static func version(_ shown: ShownUser, _ refold: Refold) -> VersionDifference? {
        if refold.version < shown.version { return .exceedsLog(last: refold.version) }
        guard let following = refold.following, following.offset < shown.claimed else { return nil }
        return .lacks(following.version)
    }

    private static func digestsDiffer(_ shown: ShownUser, _ state: UserState) -> Bool {
        guard let digests = shown.digests, state.version == shown.version else { return false }
        var state = state
        return state.storedDigests(hashingAtMost: .max)?.encoded != digests
    }

    private func rows(_ shown: ShownUser, _ state: UserState) -> UserDifference {
        var difference = UserDifference(version: nil, rows: [], rowCount: 0, unknownRows: shown.unknownRows)
        for key in Set(state.rowKeys).union(shown.rows.keys).sorted() {
            let found = RowDifference(key, expected: state.row(key), shown: shown.rows[key])
            guard found.expected != found.shown else { continue }
            difference.rowCount += 1
            if difference.rows.count < keptRows { difference.rows.append(found) }
        }
        return difference
    }

    /// Folds again to find since when the rows are as they must be.
    ///
    /// Every row is looked at after every event, because the fold's own list of touched rows may be what is wrong.
    private func date(
        _ differences: inout [RowDifference], _ shown: ShownUser, through last: Version,
        on connection: PostgresConnection
    ) throws {
        guard !differences.isEmpty else { return }
        var histories = differences.map(RowHistory.init)
        var refold = Refold(shown.user, chunk: chunk, rules: rules, isStopping: isStopping)
        try refold.run(in: shown.partition, through: last, on: connection) { state in
            for index in histories.indices { histories[index].compare(state) }
        }
        for index in histories.indices {
            differences[index].since = histories[index].since
            differences[index].partedAt = histories[index].partedAt
        }
    }
}
