import EventStore
import FocusCore

/// Where the log stands in a lane's partitions, as far as this server knows: their heads, when that was so, and up to
/// where it is safe to tell of it.
///
/// A reference: the lane's store asks it for anchors whenever it connects.
final class PartitionTails {
    /// In ascending order.
    let partitions: [Partition]
    private(set) var heads: [Partition: PartitionHead] = [:]
    private var confirmed = ConfirmedHeads()
    private let didConfirm: (MonotonicTime) -> Void
    /// When the heads were asked for, the last time that all users in memory caught up with the answer.
    private(set) var confirmedAt = MonotonicTime(milliseconds: 0)
    /// Somebody says that the heads moved.
    var mayHaveMoved = false
    /// The timeline on which the read model has what the lane believes it to have; nil: not known yet.
    private(set) var timeline: Timeline?

    /// - Parameter didConfirm: called with each `confirmedAt`.
    init(_ partitions: [Partition], didConfirm: @escaping (MonotonicTime) -> Void) {
        self.partitions = partitions.sorted()
        self.didConfirm = didConfirm
        forget()
    }

    /// Nothing is known any more.
    func forget() {
        for partition in partitions {
            heads[partition] = PartitionHead(
                partition: partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
                lastRecordedAt: Timestamp(microseconds: 0), generation: 0)
        }
    }

    // MARK: Heads

    /// The partition is one of the lane's.
    subscript(partition: Partition) -> PartitionHead { heads[partition]! }

    var known: [PartitionHead] { Array(heads.values) }

    /// The events that the log must hold (`StoreConnection.anchors`).
    var anchors: [Partition: LogAnchor] { heads.compactMapValues(\.anchor) }

    /// Whether the partition has events, or a generation, that this lane does not know yet. Throws `LogTruncated` when it
    /// has fewer, or others.
    func isBehind(_ head: PartitionHead) throws -> Bool {
        let known = self[head.partition]
        guard head.nextOffset >= known.nextOffset else { throw LogTruncated(head.partition) }
        guard head.nextOffset > known.nextOffset || head.anchor == known.anchor else {
            throw LogTruncated(head.partition)
        }
        return head.nextOffset > known.nextOffset || head.generation != known.generation
    }

    /// The lane has what the log has up to there.
    func move(to head: PartitionHead) { heads[head.partition] = head }

    /// The batch is committed.
    func move(behind batch: PartitionAppend) {
        guard let last = batch.events.last else { return }
        // In place: a head is copied for each of a statement's partitions otherwise.
        heads[batch.partition]?.move(behind: last)
    }

    // MARK: Freshness

    /// - Parameter asked: before the question was sent.
    func confirm(at asked: MonotonicTime) {
        confirmedAt = asked
        didConfirm(asked)
    }

    // MARK: What is safe to tell

    /// Whether all that is known of the partition may be told (rule P1): a commit that waited stands behind it.
    func isSafe(_ partition: Partition, on connection: Int) -> Bool {
        confirmed.covers(self[partition].nextOffset, of: partition, on: connection)
    }

    /// A commit that waits came through, sent when these heads were known.
    func commitWaited(behind heads: [PartitionHead], on connection: Int) { confirmed.confirm(heads, on: connection) }

    /// One that had these events came through.
    func commitWaited(with batch: PartitionAppend, on connection: Int) { confirmed.confirm(batch, on: connection) }

    /// What was safe on the server before need not be on this one.
    func move(to timeline: Timeline) {
        if self.timeline != nil, self.timeline != timeline { confirmed.forget() }
        self.timeline = timeline
    }
}
