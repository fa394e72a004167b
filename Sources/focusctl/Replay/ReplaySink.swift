import EventStore
import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Synchronization

/// Where the events of a replay go, from one thread or several, and how far it got: a position counts once what lies
/// below it was handed over.
final class ReplaySink: Sendable {
    /// Somebody wants the replay to end.
    struct Interrupted: Error {}

    /// Behind so many bytes of a block everything of the partition below the offset was handed over.
    struct Mark {
        var bytes: Int
        var partition: Partition
        var offset: LogOffset
    }

    private struct State {
        var vector: PositionVector
        var saved: ContinuousClock.Instant
        /// The output ends somewhere in an event: nothing may follow.
        var isStuck = false
    }

    /// How often the checkpoint is written, at most: it waits for the disk.
    private static let saveInterval: Duration = .seconds(1)

    private let state: NIOLockedValueBox<State>
    private let output = DataOutput()
    private let checkpoint: ReplayCheckpoint?
    private let interruption = Atomic<Bool>(false)
    private let display: SharedProgress?
    private let start: PositionVector

    /// - Parameter total: offsets to be looked at, for the display; nil: nobody looks.
    init(from vector: PositionVector, checkpoint: ReplayCheckpoint?, total: Int?) {
        state = NIOLockedValueBox(State(vector: vector, saved: .now))
        start = vector
        self.checkpoint = checkpoint
        display = total.map { SharedProgress(total: $0, of: "events") }
    }

    var isInterrupted: Bool { interruption.load(ordering: .relaxed) }
    var vector: PositionVector { state.withLockedValue { $0.vector } }
    func interrupt() { interruption.store(true, ordering: .relaxed) }

    /// Writes whole events, and then takes over the positions behind them; behind those that the reader took whole when
    /// it is `DataOutput.Stuck`.
    /// - Parameter marks: in order.
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

    /// Writes the checkpoint.
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

/// Gathers events to blocks of output. Of one thread.
struct ReplayBuffer {
    private static let limit = 256 << 10
    private static let interval: Duration = .milliseconds(500)

    private let sink: ReplaySink
    private let format: ReplayFormat
    private var bytes: [UInt8] = []
    private var marks: [ReplaySink.Mark] = []
    private var delivered = ContinuousClock.now

    init(_ sink: ReplaySink, _ format: ReplayFormat) {
        self.sink = sink
        self.format = format
        bytes.reserveCapacity(Self.limit + 4_096)
    }

    mutating func append(_ event: LoggedEvent) throws {
        if sink.isInterrupted { throw ReplaySink.Interrupted() }
        format.append(event, to: &bytes)
        mark(event.partition, event.offset.next)
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
