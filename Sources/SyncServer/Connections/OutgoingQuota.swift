import NIOConcurrencyHelpers

/// Counts the bytes of rows that wait to be written to one device (rule L1). The lane asks before it makes more; the
/// connection tells when they have left. Shared by two threads, hence the lock.
final class OutgoingQuota: Sendable {
    private struct Counts {
        var queued = 0
        var isBehind = false
    }

    private let limit: Int
    private let counts = NIOLockedValueBox(Counts())

    init(limit: Int) { self.limit = limit }

    /// Whether there is room for more. When not, the session is remembered as behind until `release` says otherwise.
    func hasRoom() -> Bool {
        counts.withLockedValue {
            if $0.queued >= limit { $0.isBehind = true }
            return $0.queued < limit
        }
    }

    func add(_ bytes: Int) { counts.withLockedValue { $0.queued += bytes } }

    /// True when the session was behind and half of the room is free again: resume it.
    func release(_ bytes: Int) -> Bool {
        counts.withLockedValue {
            $0.queued -= bytes
            guard $0.isBehind, $0.queued <= limit / 2 else { return false }
            $0.isBehind = false
            return true
        }
    }

    var queuedBytes: Int { counts.withLockedValue { $0.queued } }
}
