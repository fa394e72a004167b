import FocusCore
import PostgresClient

/// Fills a partition of a new generation from the log. It folds one user after the other, in the order of their ids.
///
/// Flow: events by user and version → fold → the rows of several users gather → one transaction writes them, and the
/// place that they reach. In memory are one user's state, a chunk of events and a batch of rows.
struct PartitionFill {
    let rules: FoldRules
    /// How many events are read at once: few enough that no statement holds a snapshot for long, and that the largest
    /// payloads take 128 MB together.
    var chunk = 500
    /// Called often, between transactions and in them, with how many events were folded since the last call.
    let pause: (Int) throws -> Void

    /// Fills until the phase is over. Throws `RebuildError` when the history is not whole.
    func run(_ place: inout RebuildPlace, then phase: RebuildPlace.Phase, on connection: any RebuildConnection) throws {
        var batch = FilledRows()
        var next = place
        var state: UserState?
        var cursor = (user: place.after ?? .beforeAll, version: place.after == nil ? 0 : Int64.max)
        while true {
            let found = try connection.events(below: place, after: cursor.user, cursor.version, limit: chunk)
            for event in found {
                // `state` is not copied here: for each event a copy would touch a reference count for each of its
                // parts.
                if state?.user != event.user, let folded = state.take() {
                    batch.append(folded)
                    if batch.isFull { try flush(&batch, &place, &next, on: connection) }
                }
                try fold(event, into: &state)
                next.events += 1
                cursor = (event.user, event.version.rawValue)
            }
            // No transaction is open: short spells of work delay appends less than long ones.
            try pause(found.count)
            guard found.count == chunk else { break }
        }
        if let state { batch.append(state) }
        guard next.events == place.through.rawValue else {
            throw RebuildError.historyIncomplete(
                place.partition, expected: place.through.rawValue, found: next.events)
        }
        try end(batch, &place, next, then: phase, on: connection)
    }

    private func fold(_ event: LoggedEvent, into state: inout UserState?) throws {
        let version = state?.version ?? .zero
        do {
            guard event.version == version.next else {
                throw EventStoreError.gap(user: event.user, expected: version.next, found: event.version)
            }
            if state == nil { state = UserState(user: event.user, rules: rules) }
            try state?.applyQuietly(event.decoded())
        } catch {
            throw RebuildError.unfoldable(event.user, after: version, reason: "\(error)")
        }
    }

    private func flush(
        _ batch: inout FilledRows, _ place: inout RebuildPlace, _ next: inout RebuildPlace,
        on connection: any RebuildConnection
    ) throws {
        // The last event that was read belongs to the next user. It is not counted yet: after a crash it is read again.
        next.after = batch.last
        next.users += Int64(batch.userCount)
        let (from, to, rows) = (place, next, batch)
        place = try connection.inTransaction(.standard) { connection in
            var moved = from
            try moved.move(to: to, on: connection)
            try connection.insert(rows, at: from, pause: { try pause(0) })
            return moved
        }
        batch = FilledRows()
        try pause(0)
    }

    private func end(
        _ batch: FilledRows, _ place: inout RebuildPlace, _ next: RebuildPlace, then phase: RebuildPlace.Phase,
        on connection: any RebuildConnection
    ) throws {
        let from = place
        var to = next.beginning(phase)
        to.followed = place.through
        place = try connection.inTransaction(.standard) { [to] connection in
            var moved = from
            try moved.move(to: to, on: connection)
            if batch.userCount > 0 {
                try connection.insert(batch, at: from, pause: { try pause(0) })
            }
            try connection.moveCheckpoint(of: from, to: from.through)
            return moved
        }
        try pause(0)
    }
}
