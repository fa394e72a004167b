import EventStore
import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Synchronization
import Testing

/// Proves that offsets are dense and in commit order when writers that do not know each other share partitions.
@Suite("Interleaved writers")
struct LogConcurrencyTests {
    private static let writers = 4
    private static let rounds = 60

    @Test(
        "Dense offsets and versions, no deadlock, and who follows never skips: commit order is offset order",
        arguments: [20_261_121, 4_711])
    func interleavedWriters(seed: UInt64) throws {
        let fixture = try StoreFixture()
        let users = Users(seed: seed)
        let tail = Tail()
        let readers = try (0..<StoreFixture.partitions).map { partition in
            try PostgresThread(name: "tail \(partition)") { tail.follow(Partition(partition), fixture) }
        }
        let written = try inParallel(Self.writers) { index in
            let connection = try fixture.connection()
            defer { connection.close() }
            var writer = try Writer(index, seed: seed, users, on: connection)
            for _ in 0..<Self.rounds { try writer.round(on: connection) }
            return writer.written
        }
        tail.finish()
        readers.forEach { $0.join() }

        let log = try fixture.connection()
        let expected = Set(written.joined())
        for partition in (0..<StoreFixture.partitions).map({ Partition($0) }) {
            let events = try LogReader().events(partition: partition, from: .zero, limit: 1_000_000, on: log)
            #expect(events.map(\.offset.rawValue) == Array(0..<Int64(events.count)), "seed \(seed)")
            #expect(try tail.read(partition) == events.map(\.id), "a reader saw something else, seed \(seed)")
            let head = try #require(try LogReader().heads(of: [partition], on: log).first)
            #expect(head.nextOffset.rawValue == Int64(events.count))
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.recordedAt <= $1.recordedAt }, "seed \(seed)")
            for (_, stream) in Dictionary(grouping: events, by: \.user) {
                #expect(stream.map(\.version.rawValue) == Array(1...Int64(stream.count)), "seed \(seed)")
            }
            #expect(Set(events.map(\.id)) == expected.filter { $0.partition == partition }.ids, "seed \(seed)")
        }
    }
}

private struct Written: Hashable {
    var partition: Partition
    var id: EventID
}

extension Set<Written> {
    fileprivate var ids: Set<EventID> { Set<EventID>(map(\.id)) }
}

/// Users for whom all writers append; every partition has some.
private struct Users: Sendable {
    let all: [Partition: [UserID]]

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let users = (0..<40).map { _ in UserID(random.uuid()) }
        all = Dictionary(grouping: users) { Partition.of(user: $0, count: StoreFixture.partitions) }
    }
}

/// A server as the log sees it: appends where it believes the partitions end, and reads the gap when it is behind.
private struct Writer {
    private var random: SplitMix64
    private let users: Users
    private var heads: [Partition: PartitionHead] = [:]
    private var versions: [UserID: Version] = [:]
    var written: [Written] = []

    init(_ index: Int, seed: UInt64, _ users: Users, on connection: PostgresConnection) throws {
        random = SplitMix64(seed: seed &+ UInt64(index) &* 7_919)
        self.users = users
        for partition in users.all.keys { try catchUp(partition, on: connection) }
    }

    mutating func round(on connection: PostgresConnection) throws {
        var waiting = Set(users.all.keys.filter { _ in Bool.random(using: &random) })
        // A partition that is behind is read and tried again. Each time another writer got ahead, so the loop ends.
        var tries = 0
        while !waiting.isEmpty {
            tries += 1
            try #require(tries < 10_000, "its appends never go through")
            var planned = versions
            // The order does not matter, because the statement sorts.
            let batches = waiting.shuffled(using: &random).map { batch($0, &planned) }
            let outcomes = try LogWriter().append(batches, on: connection)
            for batch in batches {
                guard case .committed = outcomes[batch.partition] else {
                    try catchUp(batch.partition, on: connection)
                    continue
                }
                waiting.remove(batch.partition)
                for event in batch.events { versions[event.user] = event.version }
                written += batch.events.map { Written(partition: batch.partition, id: $0.id) }
                heads[batch.partition]!.move(behind: batch.events.last!)
            }
        }
    }

    private mutating func batch(_ partition: Partition, _ planned: inout [UserID: Version]) -> PartitionAppend {
        let head = heads[partition]!
        let recordedAt = head.lastRecordedAt.microseconds + Int64.random(in: 0...2, using: &random)
        let events = (0..<Int.random(in: 1...8, using: &random)).map { index in
            let user = users.all[partition]!.randomElement(using: &random)!
            planned[user, default: .zero] = planned[user, default: .zero].next
            return LoggedEvent.any(
                user: user, version: planned[user]!.rawValue, partition: partition,
                offset: head.nextOffset.rawValue + Int64(index), recordedAt: recordedAt)
        }
        return PartitionAppend(behind: head, events: events)
    }

    private mutating func catchUp(_ partition: Partition, on connection: PostgresConnection) throws {
        let from = heads[partition]?.nextOffset ?? .zero
        let events = try LogReader().events(partition: partition, from: from, limit: 1_000_000, on: connection)
        for event in events { versions[event.user] = event.version }
        if heads[partition] == nil {
            heads[partition] = PartitionHead(
                partition: partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
                lastRecordedAt: Timestamp(microseconds: 0), generation: 1)
        }
        if let last = events.last { heads[partition]!.move(behind: last) }
    }
}

/// Readers that follow partitions while these grow, and ask only for what comes after the last event they saw.
private final class Tail: Sendable {
    private struct State {
        var isFinished = false
        var read: [Partition: Result<[EventID], any Error>] = [:]
    }

    private let state = Mutex(State())

    func finish() { state.withLock { $0.isFinished = true } }

    func read(_ partition: Partition) throws -> [EventID] {
        try state.withLock { $0.read[partition] }?.get() ?? []
    }

    func follow(_ partition: Partition, _ fixture: StoreFixture) {
        let result = Result {
            let connection = try fixture.connection()
            defer { connection.close() }
            var seen: [EventID] = []
            while true {
                // Checked before reading, so that the read below sees everything written by then.
                let isFinished = state.withLock { $0.isFinished }
                let from = LogOffset(Int64(seen.count))
                let events = try LogReader().events(partition: partition, from: from, limit: 50, on: connection)
                if let first = events.first, first.offset != from { throw Skipped(at: from) }
                seen += events.map(\.id)
                if isFinished && events.isEmpty { return seen }
            }
        }
        state.withLock { $0.read[partition] = result }
    }

    private struct Skipped: Error { var at: LogOffset }
}
