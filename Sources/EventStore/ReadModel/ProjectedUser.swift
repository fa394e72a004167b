import FocusCore

/// A user's rows that changed since `base`, as they are at `version`.
public struct ProjectedUser: Sendable {
    public var user: UserID
    public var version: Version
    /// Up to this version the read model had everything when `rows` began to be gathered
    /// (`LoadedUser.projectedVersion`, or the version of the batch before). If it has less by now, because the server
    /// lost a commit that was not flushed, the rows would leave a hole: the user is then reported as `missing` instead
    /// of written.
    public var base: Version
    /// Each key once. Those of a user who has very many are read when they are written.
    public private(set) var rows: [ProjectedRow]
    /// The keys of rows that are not read yet, and the state that has them.
    private var unread: (keys: [RowKey], state: UserState)?
    /// `UserState.dueAt` at `version`. It is written in the same transaction as the rows: a scheduler that finds the
    /// rows there finds the user when their time comes (rules T1, T3).
    public var dueAt: Timestamp?
    /// About how many bytes the user's state takes in memory, by which loads are bounded; nil: not known.
    public var stateBytes: Int?
    /// The digest sums of all the user's rows at `version`; nil: not known.
    public var digests: StoredDigests?

    /// How many rows there are, at most: of those that are not read yet some may be named twice.
    public var rowCount: Int { rows.count + (unread?.keys.count ?? 0) }

    /// About how many bytes the rows take in a statement. Those that are not read yet are taken to be as large as the
    /// user's others.
    public var bytes: Int {
        let read = rows.reduce(0) { $0 + $1.key.key.utf8.count + ($1.row?.storedBytes ?? 0) }
        guard let unread else { return read }
        return read + unread.keys.count * (64 + unread.state.approximateRowBytes / max(1, unread.state.rowCount))
    }

    /// How many rows are read at once where the batch is made: that takes two milliseconds. More are read where the
    /// batch is written. Until then the state has two owners, and the user's next event copies all of its tables.
    public static let readAtOnce = 4_096

    public init(
        user: UserID, version: Version, base: Version = .zero, rows: [ProjectedRow], dueAt: Timestamp?,
        stateBytes: Int? = nil, digests: StoredDigests? = nil
    ) {
        self.user = user
        self.version = version
        self.base = base
        self.rows = rows
        self.dueAt = dueAt
        self.stateBytes = stateBytes
        self.digests = digests
    }

    /// The state's rows of these keys.
    /// - Parameters:
    ///   - keys: perhaps some of them twice.
    ///   - base: see `base`.
    ///   - dueAt: see `dueAt`.
    ///   - stateBytes: see `stateBytes`.
    ///   - digests: see `digests`.
    public init(
        _ state: UserState, keys: [RowKey], base: Version, dueAt: Timestamp?, stateBytes: Int?,
        digests: StoredDigests? = nil
    ) {
        self.init(
            user: state.user, version: state.version, base: base, rows: [], dueAt: dueAt, stateBytes: stateBytes,
            digests: digests)
        unread = (keys, state)
        if keys.count <= Self.readAtOnce { readRows() }
    }

    /// Reads the rows that are not read yet: `rows` has all of them then.
    public mutating func readRows() {
        guard let (keys, state) = unread else { return }
        rows.reserveCapacity(min(keys.count, state.rowCount))
        state.forEachRow(of: keys) { rows.append(ProjectedRow($0, $1, appearedAt: $2)) }
        unread = nil
    }
}

extension Row {
    /// How many bytes the row takes in a statement, beside its key.
    var storedBytes: Int { value.count + memo.count + 64 }
}

/// A row to be written.
public struct ProjectedRow: Sendable {
    public var key: RowKey
    /// Nil: the row is deleted for good.
    public var row: Row?
    /// Since when devices may see the row (`UserState.forEachRow(of:_:)`): one that appeared after the version that the
    /// read model shows is most likely not there, and inserting it is cheaper than looking it up. Nil is always right.
    public var appearedAt: Version?

    public init(_ key: RowKey, _ row: Row?, appearedAt: Version? = nil) {
        self.key = key
        self.row = row
        self.appearedAt = appearedAt
    }
}
