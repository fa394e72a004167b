import Foundation

@testable import FocusCore

/// A device that follows a user's state through a subscription, as `Schema/README.md` describes (rules S1–S5, S7, S9),
/// and keeps rows of its own.
struct Follower {
    let view: View
    private static let log = LogID(UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)))
    private var subscription: Subscription
    private var rows: [RowKey: [UInt8]] = [:]
    private var cursor: Cursor?
    private var staged: [DeltaRow] = []
    /// The collections that the snapshot under way replaces; empty: all of them.
    private var replaced: [RowCollection] = []

    init(_ view: View) {
        self.view = view
        // Small pages, so that the state changes between two pages.
        subscription = Subscription(view: view, log: Self.log, resumingAt: nil, pageBytes: 300)
    }

    mutating func turn(_ state: UserState) {
        for message in subscription.advance(state) { take(message) }
    }

    /// Connects again with the cursor it holds, or asks for one collection again.
    mutating func begin(_ state: UserState, anew: Bool, resync collection: RowCollection) {
        guard anew else { return subscription.resync([collection]) }
        let standing = cursor.flatMap { cursor in
            // The real server would also look up the cursor's event in the log; here the log never changes its past.
            Subscription.accepts(cursor, view: view, log: Self.log, state: state) ? cursor : nil
        }
        subscription = Subscription(view: view, log: Self.log, resumingAt: standing, pageBytes: 300)
    }

    /// Receives everything; then the rows and digests must be those of the state.
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
