import EventStore
import FocusCore
import NIOConcurrencyHelpers
import PostgresClient

/// Brings ranges of the log to the sink: as one stream, or partitions side by side.
struct ReplayRun: Sendable {
    let store: StoreConfiguration
    let filter: ReplayFilter
    let format: ReplayFormat
    /// Nil: events are given as they are.
    let pseudonyms: ReplayPseudonyms?
    let sink: ReplaySink

    func run(_ ranges: [PartitionRange], parallel: Int?) throws {
        guard let parallel, parallel > 1, ranges.count > 1 else { return try merge(ranges) }
        let rest = NIOLockedValueBox((ranges: ranges, failure: (any Error)?.none))
        let threads = try (0..<min(parallel, ranges.count)).map { _ in
            try PostgresThread(name: "replay") {
                while let range = rest.withLockedValue({ $0.failure == nil ? $0.ranges.popLast() : nil }) {
                    do {
                        try read(range)
                    } catch {
                        rest.withLockedValue { $0.failure = $0.failure ?? error }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        if let failure = rest.withLockedValue({ $0.failure }) { throw failure }
    }

    private var text: ReplayText { ReplayText(format: format, pseudonyms: pseudonyms) }

    private func merge(_ ranges: [PartitionRange]) throws {
        var buffer = ReplayBuffer(sink)
        do {
            try MergedReplay(store, filter: filter).run(
                ranges, render: text.append, passed: { try buffer.pass($0, $1) }, { try buffer.append($0) })
        } catch is ReplaySink.Interrupted {
            try buffer.deliver()
            throw ReplaySink.Interrupted()
        }
        try buffer.deliver()
    }

    private func read(_ range: PartitionRange) throws {
        var buffer = ReplayBuffer(sink)
        do {
            try LogReplay(store, filter: filter, readers: 1).run(
                [range], passed: { try buffer.pass($0, $1) }, { try buffer.append($0, text) })
        } catch is ReplaySink.Interrupted {
            try buffer.deliver()
            throw ReplaySink.Interrupted()
        }
        try buffer.deliver()
    }
}
