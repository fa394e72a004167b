import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@Suite("LogWriter")
struct LogWriterTests {
    private let fixture: StoreFixture
    private let user = UserID(UUID())

    init() throws { fixture = try StoreFixture() }

    @Test("What is appended reads back as it was, and the head moves on")
    func roundTrip() throws {
        let connection = try fixture.connection()
        var event = LoggedEvent.any(user: user, version: 1, offset: 0, payload: [0, 255, 1])
        event.occurredAt = Timestamp(microseconds: .max)
        var other = LoggedEvent.any(user: user, version: 2, offset: 1, recordedAt: 2_000_000)
        other.app = nil
        other.incarnation = Incarnation(.min)
        let batch = PartitionAppend(partition: Partition(0), expectedOffset: .zero, events: [event, other])
        #expect(try LogWriter().appendToEnd([batch], on: connection) == [Partition(0): .committed(generation: 1)])
        let events = try LogReader().events(partition: Partition(0), from: .zero, limit: 10, on: connection)
        #expect(events == [event, other])
        #expect(
            try LogReader().heads(of: [Partition(0)], on: connection) == [
                PartitionHead(
                    partition: Partition(0), nextOffset: LogOffset(2), lastEvent: other.id,
                    lastRecordedAt: other.recordedAt, generation: 1)
            ])
        let at = { try LogReader().event(of: user, partition: Partition(0), at: Version($0), on: connection) }
        #expect(try at(2) == other.id)
        #expect(try at(3) == nil)
    }

    @Test("A3: users in a range are told with whether an event there revokes a device of theirs")
    func revocationsInRange() throws {
        let connection = try fixture.connection()
        let other = UserID(UUID())
        let revocation = EventType.deviceRevoked.rawValue
        let events: [LoggedEvent] = [
            .any(user: user, version: 1, offset: 0), .any(user: user, version: 2, offset: 1, type: revocation),
            .any(user: other, version: 1, offset: 2), .any(user: user, version: 3, offset: 3),
        ]
        let batch = PartitionAppend(partition: Partition(0), expectedOffset: .zero, events: events)
        _ = try LogWriter().appendToEnd([batch], on: connection)
        let users = { (from: Int64, to: Int64) in
            try LogReader().users(partition: Partition(0), in: LogOffset(from)..<LogOffset(to), on: connection)
                .sorted { $0.firstOffset < $1.firstOffset }
        }
        #expect(
            try users(0, 4) == [
                UserInRange(
                    user: user, version: Version(3), firstOffset: .zero, lastOffset: LogOffset(3), revokes: true),
                UserInRange(user: other, version: Version(1), firstOffset: LogOffset(2), lastOffset: LogOffset(2)),
            ])
        #expect(try users(2, 4).map(\.revokes) == [false, false])
    }

    @Test("A partition that ends elsewhere is behind and gets nothing; the others of the statement go through")
    func compareAndSwap() throws {
        let connection = try fixture.connection()
        let append = { (partition: Int32, offset: Int64, version: Int64) in
            PartitionAppend(
                partition: Partition(partition), expectedOffset: LogOffset(offset),
                events: [.any(user: self.user, version: version, partition: Partition(partition), offset: offset)])
        }
        _ = try LogWriter().appendToEnd([append(1, 0, 1)], on: connection)
        let outcomes = try LogWriter().appendToEnd([append(0, 0, 1), append(1, 0, 2), append(2, 5, 1)], on: connection)
        #expect(
            outcomes == [
                Partition(0): .committed(generation: 1), Partition(1): .behind, Partition(2): .behind,
            ])
        let heads = try LogReader().heads(of: (0..<4).map { Partition($0) }, on: connection)
        #expect(heads.map(\.nextOffset.rawValue) == [1, 1, 0, 0])
        #expect(try connection.integer("SELECT count(*) FROM events") == 2)
    }

    @Test("Nothing is appended behind another event than the one that the writer knows, or than the same event again")
    func otherHistory() throws {
        let connection = try fixture.connection()
        let event = { LoggedEvent.any(user: self.user, version: $0 + 1, offset: $0, recordedAt: 2_000_000) }
        let first = event(0)
        var head = try LogReader().heads(of: [Partition(0)], on: connection)[0]
        #expect(head.lastEvent == PartitionHead.noEvent && head.anchor == nil)
        _ = try LogWriter().append([PartitionAppend(behind: head, events: [first])], on: connection)
        var (other, again) = (event(0), first)
        again.recordedAt = Timestamp(microseconds: 1_999_999)
        other.version = Version(9)
        for seen in [other, again] {
            head.move(behind: seen)
            let batch = PartitionAppend(behind: head, events: [event(1)])
            #expect(try LogWriter().append([batch], on: connection) == [Partition(0): .behind])
            #expect(try !LogCopier().append(batch, on: connection))
        }
        head.move(behind: first)
        #expect(head.anchor == first.anchor)
        #expect(try LogReader().heads(of: [Partition(0)], on: connection) == [head])
        let second = event(1)
        #expect(try LogCopier().append(PartitionAppend(behind: head, events: [second]), on: connection))
        head.move(behind: second)
        #expect(try LogReader().heads(of: [Partition(0)], on: connection) == [head])
        let nobody = UserID(UUID())
        let loaded = try UserLoader().load([(Partition(0), nobody)], on: connection)[nobody]?.get()
        #expect(loaded?.head == head)
    }

    @Test("recorded_at never goes backwards: such an append fails as a whole")
    func recordedAtGuard() throws {
        let connection = try fixture.connection()
        let batch = { (offset: Int64, recordedAt: Int64) in
            PartitionAppend(
                partition: Partition(0), expectedOffset: LogOffset(offset),
                events: [.any(user: self.user, version: offset + 1, offset: offset, recordedAt: recordedAt)])
        }
        _ = try LogWriter().appendToEnd([batch(0, 5_000_000)], on: connection)
        #expect(throws: PostgresError.self) { try LogWriter().appendToEnd([batch(1, 4_999_999)], on: connection) }
        _ = try LogWriter().appendToEnd([batch(1, 5_000_000)], on: connection)
        #expect(try connection.integer("SELECT next_offset FROM log_partitions WHERE partition = 0") == 2)
    }

    @Test("A batch that is not in order is an error of its writer's, and nothing of the statement is written")
    func malformedBatches() throws {
        let connection = try fixture.connection()
        let event = { (version: Int64, offset: Int64, recordedAt: Int64) in
            LoggedEvent.any(user: self.user, version: version, offset: offset, recordedAt: recordedAt)
        }
        let batch = { (events: [LoggedEvent]) in
            PartitionAppend(partition: Partition(0), expectedOffset: .zero, events: events)
        }
        let good = PartitionAppend(
            partition: Partition(1), expectedOffset: .zero,
            events: [.any(user: user, version: 1, partition: Partition(1), offset: 0)])
        for bad in [
            [batch([event(1, 0, 2_000_000), event(2, 1, 1_999_999)])], [batch([event(1, 0, 1), event(2, 2, 1)])],
            [batch([event(1, 1, 1)])], [batch([])], [batch([event(1, 0, 1)]), batch([event(1, 0, 1)])],
        ] {
            let error = #expect(throws: PostgresError.self) { try LogWriter().append(bad + [good], on: connection) }
            #expect(error?.kind == .usage && error?.outcomeIsUnknown == false)
            #expect(try bad.count > 1 || failsToCopy(bad[0], on: connection))
        }
        #expect(try connection.integer("SELECT count(*) FROM events") == 0)
        #expect(try connection.integer("SELECT sum(next_offset)::bigint FROM log_partitions") == 0)
    }

    private func failsToCopy(_ batch: PartitionAppend, on connection: PostgresConnection) throws -> Bool {
        do {
            _ = try LogCopier().append(batch, on: connection)
            return false
        } catch let error as PostgresError {
            return error.kind == .usage
        }
    }

    @Test("A user's version is in the log once: a second one fails the statement and moves no head")
    func versionIsUnique() throws {
        let connection = try fixture.connection()
        let batch = { (offset: Int64) in
            PartitionAppend(
                partition: Partition(0), expectedOffset: LogOffset(offset),
                events: [.any(user: self.user, version: 1, offset: offset)])
        }
        _ = try LogWriter().appendToEnd([batch(0)], on: connection)
        let error = #expect(throws: PostgresError.self) { try LogWriter().appendToEnd([batch(1)], on: connection) }
        #expect(error?.constraint == "events_partition_user_id_version_key")
        #expect(try connection.integer("SELECT next_offset FROM log_partitions WHERE partition = 0") == 1)
    }

    @Test("E4: no occurred_at fails a statement: a refusal of what is too early stands at the earliest moment")
    func extremeTimes() throws {
        let connection = try fixture.connection()
        for (index, time) in [Int64.min, -210_866_803_200_000_001, 0, .max].enumerated() {
            var event = LoggedEvent.any(user: user, version: Int64(index) + 1, offset: Int64(index))
            event.occurredAt = Timestamp(microseconds: time)
            let batch = PartitionAppend(
                partition: Partition(0), expectedOffset: LogOffset(Int64(index)), events: [event])
            _ = try LogWriter().appendToEnd([batch], on: connection)
            let read = try LogReader().events(partition: Partition(0), from: event.offset, limit: 1, on: connection)
            #expect(read.first?.occurredAt == event.occurredAt.stored)
        }
    }

    @Test("Every EventType is a value of the enum event_type, and no other")
    func everyType() throws {
        let connection = try fixture.connection()
        let result = try connection.query(
            Statement(name: "types", sql: "SELECT unnest(enum_range(NULL::event_type))::text"))
        let names = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
        // The order does not matter: migrations add new types at the end.
        #expect(names.sorted() == EventType.allCases.map(\.rawValue).sorted())
    }

    @Test("A payload of 256 KiB and a batch over all partitions fit")
    func largeBatch() throws {
        let connection = try fixture.connection()
        let payload = (0..<EventLimits.payloadBytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let batches = (0..<4).map { partition in
            PartitionAppend(
                partition: Partition(Int32(partition)), expectedOffset: .zero,
                events: (0..<20).map {
                    .any(
                        user: user, version: Int64($0) + 1, partition: Partition(Int32(partition)), offset: Int64($0),
                        payload: $0 % 10 == 0 ? payload : [1])
                })
        }
        #expect(try LogWriter().appendToEnd(batches, on: connection).count == 4)
        let read = try LogReader().events(partition: Partition(3), from: LogOffset(10), limit: 1, on: connection)
        #expect(read.first?.payload == payload)
    }
}
