/// What one session has been sent of its user's rows, and what comes next (rules S1–S4, S7).
///
/// Flow: opening → snapshot or delta, in pages ordered by version → live; each commit after that → one delta. A row
/// that changes while pages are under way moves behind the position and is sent again with its newest value, so the
/// device holds exactly the state of the cursor that ends the pages.
public struct Subscription: Sendable {
    enum Phase: Hashable {
        /// Everything up to this version was sent.
        case live(Version)
        /// Pages are under way. `from` is nil for a snapshot.
        case paging(from: Version?, began: Version, position: SyncPosition, announced: Bool)
        /// A snapshot of some collections is under way; afterwards the device is at `cursor` again (rule S9).
        case resyncing(Set<RowCollection>, began: Version, position: SyncPosition, cursor: Cursor)
    }

    /// Bytes of the rows of one page: small enough that a queue of 256 KiB takes several pages (rule L1).
    public static let pageBytes = 64 * 1024

    public let view: View
    private let log: LogID
    private let viewHash: UInt64
    let pageBytes: Int
    var phase: Phase
    /// The event of the head up to which everything was sent last (`StreamHead.event`).
    var mark: EventID?
    /// Collections to be sent afresh, as soon as everything else was sent.
    var resyncs: Set<RowCollection> = []
    /// Whether something was sent, or passed over, since the last checkpoint (rule S9).
    public internal(set) var owesCheckpoint = true

    /// - Parameters:
    ///   - cursor: where the device stands, if the log holds the event that it names; nil for a snapshot.
    ///   - pageBytes: bytes of the rows of one page; a row that is larger goes alone.
    public init(view: View, log: LogID, resumingAt cursor: Cursor?, pageBytes: Int = Self.pageBytes) {
        self.pageBytes = pageBytes
        self.view = view
        self.log = log
        viewHash = view.hash
        if let cursor {
            phase = .live(cursor.version)
            mark = cursor.version == .zero ? EventID.none : cursor.event
        } else {
            phase = Self.snapshot
        }
    }

    private static var snapshot: Phase {
        .paging(from: nil, began: .zero, position: SyncPosition(version: .zero), announced: false)
    }

    /// Whether a cursor can be continued from, as far as the state alone can tell (rules S4, S5). The event at the
    /// cursor's version is still to be compared with the log's.
    public static func accepts(_ cursor: Cursor, view: View, log: LogID, state: UserState) -> Bool {
        let head = state.head(of: view)
        return cursor.log == log && cursor.view == view.hash && cursor.version <= head.version
            && cursor.version >= head.horizon && (cursor.version != head.version || cursor.event == head.event)
    }

    /// Whether rows are owed to the session: it was sent those of an earlier version, or of another history, or pages
    /// are under way.
    public func isBehind(_ state: borrowing UserState) -> Bool {
        guard let version = liveVersion else { return true }
        let head = state.head(of: view)
        return version < head.version || view.isSilent && (version, mark) != (head.version, head.event)
    }

    /// Whether what was sent up to `version` is of the stream's history. The user's own stream never goes back while a
    /// session lives; that of an app is counted anew by a rebuild.
    func mayContinue(from version: Version, _ state: borrowing UserState) -> Bool {
        !view.isSilent || state.mayContinue(version, mark ?? .none, in: view)
    }

    /// The version up to which everything was sent; nil while pages are under way.
    public var liveVersion: Version? {
        switch phase {
        case .live(let version): resyncs.isEmpty ? version : nil
        case .paging, .resyncing: nil
        }
    }

    /// How many rows the next page may look at without sending them. One that begins a delta, or the snapshot of a
    /// part, answers for all that may be looked at until its end; each later one for the version that it begins with.
    public func rowsOfNextPage(_ state: borrowing UserState) -> Int {
        switch phase {
        case .live(let version): state.changes(after: resyncs.isEmpty ? version : .zero, in: view)
        case .paging(nil, _, _, announced: false) where view.collections != nil: state.changes(after: .zero, in: view)
        case .paging(_, _, let position, _): state.changesOfNextVersion(after: position, in: view)
        case .resyncing: 0
        }
    }

    /// Begins again with a snapshot.
    public mutating func restart() {
        phase = Self.snapshot
        resyncs = []
        owesCheckpoint = true
    }

    /// The next message or messages; none when everything was sent. Call again until then, as far as there is room.
    public mutating func advance(_ state: UserState) -> [ServerMessage] {
        switch phase {
        case .live(let version):
            let head = state.head(of: view)
            let isContinued = mayContinue(from: version, state)
            guard version < head.version || !isContinued else { return beginResync(state) }
            owesCheckpoint = true
            if version < head.horizon || !isContinued {
                restart()
            } else {
                phase = .paging(
                    from: version, began: head.version, position: SyncPosition(version: version), announced: false)
            }
            return advance(state)
        case .paging(let from, let began, let position, let announced):
            return page(state, from: from, began: began, after: position, announced: announced)
        case .resyncing(let collections, let began, let position, let cursor):
            return resyncPage(state, collections, began: began, after: position, cursor)
        }
    }

    /// The checkpoint of what was sent (rule S9); nil while pages are under way.
    public mutating func checkpoint(_ state: inout UserState) -> ServerMessage? {
        guard !isBehind(state) else { return nil }
        owesCheckpoint = false
        return .checkpoint(cursor(state), state.digests(in: view))
    }

    /// The checkpoint of a session that was sent nothing since it opened at the end of its view, whose digests these
    /// are; nil while pages are under way.
    public mutating func checkpoint(_ digests: [CollectionDigest]) -> ServerMessage? {
        guard let version = liveVersion else { return nil }
        owesCheckpoint = false
        return .checkpoint(Cursor(log: log, version: version, event: mark ?? .none, view: viewHash), digests)
    }

    func cursor(_ state: UserState) -> Cursor {
        let head = state.head(of: view)
        return Cursor(log: log, version: head.version, event: head.event, view: viewHash)
    }

    private mutating func page(
        _ state: UserState, from: Version?, began: Version, after position: SyncPosition, announced: Bool
    ) -> [ServerMessage] {
        // Tombstones of rows that these pages have sent already were dropped: begin again.
        let head = state.head(of: view)
        if announced, head.horizon > began {
            restart()
            return advance(state)
        }
        let began = announced ? began : head.version
        let start = announced || from != nil ? position : SyncPosition.snapshot(of: began)
        let page = state.rows(after: start, in: view, limitBytes: pageBytes)
        let isWhole = !announced && page.isComplete
        phase =
            page.isComplete
            ? .live(head.version) : .paging(from: from, began: began, position: page.next, announced: true)
        if page.isComplete { mark = head.event }
        if let from, isWhole {
            // A view that nothing changed in hears of its new cursor by the next checkpoint (rule S7).
            return page.rows.isEmpty ? [] : [.delta(from: from, rows: page.rows, cursor: cursor(state))]
        }
        var messages: [ServerMessage] = []
        if !announced {
            messages.append(from.map { .deltaBegin(from: $0, to: began) } ?? .snapshotBegin(version: began))
        }
        if !page.rows.isEmpty { messages.append(from == nil ? .snapshotRows(page.rows) : .deltaRows(page.rows)) }
        if page.isComplete { messages.append(from == nil ? .snapshotEnd(cursor(state)) : .deltaEnd(cursor(state))) }
        return messages
    }
}
