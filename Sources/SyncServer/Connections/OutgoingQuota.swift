import Synchronization

/// Counts the bytes of rows that wait to be written to one device (rule L1). Lanes ask it for room before they make
/// rows for the device, and the connection releases the bytes when they are written. Shared by several threads.
final class OutgoingQuota: Sendable {
    private struct Counts {
        var queued = 0
        var isBehind = false
    }

    private let limit: Int
    /// In the object itself: every connection has one.
    private let counts = Mutex(Counts())

    /// - Parameter limit: bytes; a frame that is added while there is room may go past it.
    init(limit: Int) { self.limit = limit }

    /// Whether there is room for another frame. If not, marks the session as behind, and `release` says when to resume.
    func hasRoom() -> Bool {
        counts.withLock {
            if $0.queued >= limit { $0.isBehind = true }
            return $0.queued < limit
        }
    }

    func add(_ bytes: Int) { counts.withLock { $0.queued += bytes } }

    /// Records that `bytes` were written, or dropped with the connection.
    /// - Returns: whether the session was behind and is to be resumed, as half of the limit is free again.
    func release(_ bytes: Int) -> Bool {
        counts.withLock {
            $0.queued -= bytes
            guard $0.isBehind, $0.queued <= limit / 2 else { return false }
            $0.isBehind = false
            return true
        }
    }

    /// Whether rows wait for room.
    var isBehind: Bool { counts.withLock { $0.isBehind } }

    /// Bytes that wait to be written.
    var queuedBytes: Int { counts.withLock { $0.queued } }
}
