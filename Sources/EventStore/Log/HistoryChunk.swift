import FocusCore
import PostgresClient

/// Events of a user that were read at once, with what the fold gets of them.
struct HistoryChunk: Sendable {
    private(set) var events: [(logged: LoggedEvent, event: Event)] = []
    /// Why the event behind the last one cannot be read.
    private(set) var failure: (any Error)?
    /// After which version the next chunk begins; nil: this one is the last.
    let next: Version?

    /// Reads up to `limit` events past `version`, and none past `last`.
    init(
        of user: UserID, _ partition: Partition, after version: Version, through last: Version, limit: Int,
        on connection: PostgresConnection
    ) throws(PostgresError) {
        let limit = min(limit, Int(clamping: last.rawValue - version.rawValue))
        let read = try LogReader().events(of: user, partition: partition, after: version, limit: limit, on: connection)
        let end = read.last?.version ?? last
        next = LogReader.isCut(read, limit: limit) && end < last ? end : nil
        events.reserveCapacity(read.count)
        for logged in read {
            do {
                events.append((logged, try logged.decoded()))
            } catch {
                failure = error
                break
            }
        }
    }

    /// Hands the events to `body` until it returns false. Returns whether more are wanted. Throws `failure` after the
    /// last, and what `body` throws.
    func forEach(_ body: (LoggedEvent, Event) throws -> Bool) throws -> Bool {
        // A loop over the elements would copy each: two dozen reference counts.
        for index in events.indices {
            guard try body(events[index].logged, events[index].event) else { return false }
        }
        if let failure { throw failure }
        return true
    }
}
