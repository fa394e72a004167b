import EventStore
import FocusCore

/// Where a lane's partitions end, as far as the lane knows: their heads, when these were confirmed, and up to where
/// answers may rest on them (rule P1).
///
/// A class, because the lane's store asks it for anchors whenever it connects.
final class PartitionTails {
    /// The lane's partitions, in ascending order.
    let partitions: [Partition]
    private(set) var heads: [Partition: PartitionHead] = [:]
    private var confirmed = ConfirmedHeads()
    private let didConfirm: (MonotonicTime) -> Void
    /// When the heads were last asked for with an answer that all users in memory have caught up with.
    private(set) var confirmedAt = MonotonicTime(milliseconds: 0)
    /// Whether somebody said that the heads moved, so that they are to be looked up before the next poll.
    var mayHaveMoved = false
    /// The timeline on which the read model has what the lane believes it to have; nil before the first look.
    private(set) var timeline: Timeline?

    /// - Parameter didConfirm: called with each `confirmedAt`.
    init(_ partitions: [Partition], didConfirm: @escaping (MonotonicTime) -> Void) {
        self.partitions = partitions.sorted()
        self.didConfirm = didConfirm
        forget()
    }

    /// Forgets the heads, because the log lost events. What was confirmed needs no forgetting: it holds for the
    /// connection before, and the lane makes another.
    func forget() {
        for partition in partitions {
            heads[partition] = PartitionHead(
                partition: partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
                lastRecordedAt: Timestamp(microseconds: 0), generation: 0)
        }
    }

    // MARK: Heads

    /// The head that the lane knows. The partition must be one of the lane's.
    subscript(partition: Partition) -> PartitionHead { heads[partition]! }

    /// The heads of all partitions, in no order.
    var known: [PartitionHead] { Array(heads.values) }

    /// The last known event of each partition: the log must hold them (`StoreConnection.anchors`).
    var anchors: [Partition: LogAnchor] { heads.compactMapValues(\.anchor) }

    /// Whether `head`, as the log has it, has events or a generation that the lane does not know yet. Throws
    /// `LogTruncated` when it has fewer events, or as many and another last one.
    func isBehind(_ head: PartitionHead) throws -> Bool {
        let known = self[head.partition]
        guard head.nextOffset >= known.nextOffset else { throw LogTruncated(head.partition) }
        guard head.nextOffset > known.nextOffset || head.anchor == known.anchor else {
            throw LogTruncated(head.partition)
        }
        return head.nextOffset > known.nextOffset || head.generation != known.generation
    }

    /// Records that the lane has caught up with this head.
    func move(to head: PartitionHead) { heads[head.partition] = head }

    /// Records that the lane's own batch was committed.
    func move(behind batch: PartitionAppend) {
        guard let last = batch.events.last else { return }
        // The head is changed in place, because every append does this for each of its partitions.
        heads[batch.partition]?.move(behind: last)
    }

    // MARK: Freshness

    /// Records that all users in memory have caught up with the heads.
    /// - Parameter asked: a moment before the heads were asked for.
    func confirm(at asked: MonotonicTime) {
        confirmedAt = asked
        didConfirm(asked)
    }

    // MARK: What is safe to tell

    /// Whether answers may rest on all that the lane knows of the partition (rule P1): a commit that waited for the
    /// standby stands behind it.
    func isSafe(_ partition: Partition, on connection: Int) -> Bool {
        confirmed.covers(self[partition].nextOffset, of: partition, on: connection)
    }

    /// Records a commit that waited for the standby, sent when the log was known up to these heads.
    func commitWaited(behind heads: [PartitionHead], on connection: Int) { confirmed.confirm(heads, on: connection) }

    /// Records that the batch was committed, and waited for the standby.
    func commitWaited(with batch: PartitionAppend, on connection: Int) { confirmed.confirm(batch, on: connection) }

    /// Changes to the timeline that PostgreSQL writes. What was confirmed on the one before need not be on this one.
    func move(to timeline: Timeline) {
        if self.timeline != nil, self.timeline != timeline { confirmed.forget() }
        self.timeline = timeline
    }
}
