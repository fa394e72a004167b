import Foundation

@testable import FocusCore

/// A device that follows a state by what a subscription sends, as `Schema/README.md` tells devices to (rules S1–S5, S7,
/// S9), and holds rows of its own.
struct Follower {
    let view: View
    private static let log = LogID(UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)))
    private var subscription: Subscription
    private var rows: [RowKey: [UInt8]] = [:]
    private var cursor: Cursor?
    private var staged: [DeltaRow] = []
    /// Of the snapshot under way; none: of all.
    private var replaced: [RowCollection] = []

    init(_ view: View) {
        self.view = view
        // Small pages, so that changes come between them.
        subscription = Subscription(view: view, log: Self.log, resumingAt: nil, pageBytes: 300)
    }

    mutating func turn(_ state: UserState) {
        for message in subscription.advance(state) { take(message) }
    }

    /// Connects again with its cursor, or asks for a collection once more.
    mutating func begin(_ state: UserState, anew: Bool, resync collection: RowCollection) {
        guard anew else { return subscription.resync([collection]) }
        let standing = cursor.flatMap { cursor in
            // The log would be asked for older events: they are what they were.
            Subscription.accepts(cursor, view: view, log: Self.log, state: state) ? cursor : nil
        }
        subscription = Subscription(view: view, log: Self.log, resumingAt: standing, pageBytes: 300)
    }

    /// Takes everything; then its rows must be those of the state, and its digests the state's.
    mutating func catchUp(_ state: inout UserState) -> [CollectionDigest] {
        var turns = 0
        while subscription.liveVersion != state.version {
            turn(state)
            turns += 1
            check(turns <= 4 * state.rowCount + 16, "pages never end")
        }
        let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: .max)
        let shown = page.rows.compactMap { row in row.value.map { (row.key, $0) } }
        check(rows == Dictionary(uniqueKeysWithValues: shown), "a device's rows are others (S1, S2)")
        guard case .checkpoint(let cursor, let digests) = subscription.checkpoint(&state) else {
            broken("no checkpoint when everything was sent (S9)")
        }
        check(cursor.version == state.version, "a checkpoint of another version (S9)")
        for digest in digests {
            var (sum, count) = (Digest(), UInt64(0))
            for (key, value) in rows where key.collection == digest.collection {
                sum += RowHash(key, value: value)
                count += 1
            }
            check(sum == digest.digest && count == digest.count, "the digest of \(digest.collection) is another (S9)")
        }
        return digests
    }

    private mutating func take(_ message: ServerMessage) {
        switch message {
        case .snapshotBegin(_, let collections): (staged, replaced) = ([], collections)
        case .deltaBegin: staged = []
        case .snapshotRows(let rows), .deltaRows(let rows): staged += rows
        case .snapshotEnd(let cursor):
            rows = rows.filter { !replaced.isEmpty && !replaced.contains($0.key.collection) }
            put(staged, cursor)
        case .deltaEnd(let cursor): put(staged, cursor)
        case .delta(_, let rows, let cursor): put(rows, cursor)
        case .checkpoint, .welcome, .appended, .recalled, .ping, .pong, .error, .goAway, .tokenExpiry, .fetched,
            .peerStatuses,
            .unknown:
            broken("a subscription says \(message)")
        }
    }

    private mutating func put(_ changed: [DeltaRow], _ cursor: Cursor) {
        for row in changed {
            check(view.includes(row.key), "\(row.key) is not for this view (S7)")
            rows[row.key] = row.value
        }
        staged = []
        self.cursor = cursor
    }
}
