import FocusCore
import PostgresClient

/// Events of a user that were read at once, with what the fold gets of them.
struct HistoryChunk: Sendable {
    /// In two lists: most who fold read the second alone, and a pair would be copied whole, with two dozen reference
    /// counts.
    private(set) var logged: [LoggedEvent] = []
    private(set) var events: [Event] = []
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
        for index in read.indices {
            do {
                events.append(try read[index].decoded())
            } catch {
                failure = error
                break
            }
        }
        logged = read
    }

    /// Hands the places of events in `events` to `body` until it returns false. Returns whether more are wanted. Throws
    /// `failure` after the last, and what `body` throws.
    func forEach(_ body: (Int) throws -> Bool) throws -> Bool {
        for index in events.indices {
            guard try body(index) else { return false }
        }
        if let failure { throw failure }
        return true
    }
}
