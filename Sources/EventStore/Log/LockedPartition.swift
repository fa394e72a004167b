import FocusCore

/// A partition of the log that a transaction has locked: where it ends, and what others appended to it past the head
/// that the caller knew. Nobody else can append to it meanwhile.
public struct LockedPartition: Sendable {
    public enum Gap: Sendable {
        /// All of them, in their order; none when the caller knew of all.
        case events([LoggedEvent])
        /// There are more than were asked for: the users who have them.
        case users([UserInRange])
    }

    public let head: PartitionHead
    public let gap: Gap

    /// Throws `LogTruncated` when the log does not lead from the known head to the locked one, and what `users` throws.
    /// - Parameters:
    ///   - head: where the partition ends.
    ///   - known: where it ended as far as the caller knew.
    ///   - limit: how many events the gap may have, so that they are wanted.
    ///   - read: the log's events from `firstOffset(behind: known)` on, one more than `limit` and that first one at
    ///     most.
    ///   - users: gives the users with events in the gap.
    public init(
        _ head: PartitionHead, behind known: PartitionHead, limit: Int, read: [LoggedEvent],
        users: (Range<LogOffset>) throws -> [UserInRange]
    ) throws {
        self.head = head
        let anchored = known.anchor == nil ? 0 : 1
        let (from, to) = (known.nextOffset, head.nextOffset)
        guard from < to || from == to && head.anchor == known.anchor,
            anchored == 0 || read.first?.anchor == known.anchor
        else { throw LogTruncated(head.partition) }
        guard to <= from.advanced(by: limit) else {
            gap = .users(try users(from..<to))
            return
        }
        let events = Array(read.dropFirst(anchored))
        guard from.advanced(by: events.count) == to, from == to || events.last?.anchor == head.anchor else {
            throw LogTruncated(head.partition)
        }
        gap = .events(events)
    }

    /// Where reading begins, so that the known head's own event is read too: the log must hold it.
    public static func firstOffset(behind known: PartitionHead) -> LogOffset {
        known.anchor?.offset ?? known.nextOffset
    }
}
