import EventStore
import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Programs
import Synchronization

/// The output of a replay, from one thread or several, and the positions that it has reached: a position counts when
/// everything below it was handed over.
final class ReplaySink: Sendable {
    /// The replay was asked to end.
    struct Interrupted: Error {}

    /// Once this many bytes of a block were handed over, everything of the partition below the offset was.
    struct Mark {
        var bytes: Int
        var partition: Partition
        var offset: LogOffset
    }

    private struct State {
        var vector: PositionVector
        var saved: ContinuousClock.Instant
        /// Whether the output ends in the middle of an event, so that nothing may follow.
        var isStuck = false
    }

    /// The checkpoint is written at most this often: writing waits for the disk.
    private static let saveInterval: Duration = .seconds(1)

    private let state: NIOLockedValueBox<State>
    private let output = DataOutput()
    private let checkpoint: ReplayCheckpoint?
    private let interruption = Atomic<Bool>(false)
    private let display: SharedProgress?
    private let start: PositionVector

    /// - Parameter total: the number of offsets to read, for the display; nil: there is no display.
    init(from vector: PositionVector, checkpoint: ReplayCheckpoint?, total: Int?) {
        state = NIOLockedValueBox(State(vector: vector, saved: .now))
        start = vector
        self.checkpoint = checkpoint
        display = total.map { SharedProgress(total: $0, of: "events") }
    }

    var isInterrupted: Bool { interruption.load(ordering: .relaxed) }
    var vector: PositionVector { state.withLockedValue { $0.vector } }
    func interrupt() { interruption.store(true, ordering: .relaxed) }

    /// Writes whole events, and then moves the positions behind them. When the reader is stuck (`DataOutput.Stuck`), it
    /// moves them only behind the events that the reader got whole.
    /// - Parameter marks: in the order of their bytes.
    func deliver(_ bytes: [UInt8], _ marks: [Mark] = []) throws {
        try state.withLockedValue { state in
            if state.isStuck { throw DataOutput.Stuck(written: 0) }
            do {
                try output.write(bytes, isInterrupted: { isInterrupted })
            } catch let stuck as DataOutput.Stuck {
                state.isStuck = true
                for mark in marks where mark.bytes <= stuck.written {
                    state.vector.positions[mark.partition] = mark.offset
                }
                throw stuck
            }
            for mark in marks { state.vector.positions[mark.partition] = mark.offset }
            show(state.vector)
            guard let checkpoint, .now - state.saved >= Self.saveInterval else { return }
            try checkpoint.write(state.vector)
            state.saved = .now
        }
    }

    /// Removes the beginning of an event from the end of the output, if that is a file: who wrote it was stopped, and the
    /// event comes again.
    func removeUnfinishedLine() throws { try output.removeUnfinishedLine() }

    /// Clears the display and writes the checkpoint.
    func save() throws {
        display?.clear()
        try state.withLockedValue { try checkpoint?.write($0.vector) }
    }

    private func show(_ vector: PositionVector) {
        guard let display else { return }
        display.show(
            vector.positions.reduce(0) { sum, place in
                sum + Int(place.value.rawValue - (start.positions[place.key]?.rawValue ?? 0))
            })
    }
}

/// Gathers events into blocks of output. Used by one thread.
struct ReplayBuffer {
    private static let limit = 256 << 10
    private static let interval: Duration = .milliseconds(500)

    private let sink: ReplaySink
    private var bytes: [UInt8] = []
    private var marks: [ReplaySink.Mark] = []
    private var delivered = ContinuousClock.now

    init(_ sink: ReplaySink) {
        self.sink = sink
        bytes.reserveCapacity(Self.limit + 4_096)
    }

    /// Appends an event's text.
    mutating func append(_ event: RenderedEvent) throws {
        if sink.isInterrupted { throw ReplaySink.Interrupted() }
        bytes.append(contentsOf: event.bytes)
        try end(event.partition, event.offset)
    }

    /// Makes an event's text and appends it.
    mutating func append(_ event: LoggedEvent, _ text: ReplayText) throws {
        if sink.isInterrupted { throw ReplaySink.Interrupted() }
        text.append(event, to: &bytes)
        try end(event.partition, event.offset)
    }

    private mutating func end(_ partition: Partition, _ offset: LogOffset) throws {
        mark(partition, offset.next)
        if bytes.count >= Self.limit { try deliver() }
    }

    /// Everything of the partition below `offset` was appended.
    mutating func pass(_ partition: Partition, _ offset: LogOffset) throws {
        if sink.isInterrupted { throw ReplaySink.Interrupted() }
        mark(partition, offset)
        if .now - delivered >= Self.interval { try deliver() }
    }

    mutating func deliver() throws {
        try sink.deliver(bytes, marks)
        bytes.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        delivered = .now
    }

    private mutating func mark(_ partition: Partition, _ offset: LogOffset) {
        marks.append(ReplaySink.Mark(bytes: bytes.count, partition: partition, offset: offset))
    }
}
