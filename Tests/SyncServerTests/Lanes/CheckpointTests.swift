import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// The checkpoint always moves: whoever is dirty, quarantined or huge, the read model of the others follows the log.
@Suite struct CheckpointTests {
    private let store = PartLog()
    private let time = PartTime()

    private func users(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneUsers {
        var configuration = LaneConfiguration()
        change(&configuration)
        return LaneUsers(LaneSamples.context(time, configuration), [PartLog.partition]) { _ in }
    }

    private func load(_ user: UserID, _ users: LaneUsers) throws {
        users.hear(.loaded(try store.loaded(user), user, PartLog.partition))
    }

    /// Another server appends an event that makes or changes a row.
    private func grow(_ user: UserID, _ users: LaneUsers, bytes: Int = 1) {
        let name = String(repeating: "n", count: bytes)
        let event = store.append(.focusConfigured(FocusConfigured(focusID: "f", name: name)), of: user)
        users.hear(.followed(event))
        users.hear(.caughtUp([user]))
    }

    /// Makes the batch that is due and reports it as written.
    /// - Returns: nil when no batch could be made.
    @discardableResult private func write(_ users: LaneUsers) throws -> ProjectionBatch? {
        time.advance(10_000)
        if users.dueProjections().isEmpty { return nil }
        guard let (batch, made) = users.makeBatch(store.head, store.line) else { return nil }
        var report = made
        report.result = .written(missing: [], checkpoint: batch.checkpoint)
        let fellBack = users.projected(report, store.head)
        #expect(!fellBack)
        return batch
    }

    private func checkpoint(_ users: LaneUsers) -> LogOffset { users.backlog.checkpoint(of: PartLog.partition) }

    @Test(
        "More than a batch of users who change all the time: the checkpoint moves with each batch, and nobody starves")
    func moreThanABatch() throws {
        let users = users()
        let all = (0..<600).map { _ in UserID(UUID()) }
        for user in all {
            try load(user, users)
            grow(user, users)
        }
        var written: Set<UserID> = []
        for _ in 0..<4 {
            let before = checkpoint(users)
            let batch = try write(users)?.users.map(\.user) ?? []
            let after = checkpoint(users)
            #expect(batch.count == 512 && after > before)
            written.formUnion(batch)
            for user in all { grow(user, users) }
        }
        #expect(written == Set(all))
    }

    @Test("Digest sums are written with the rows, where few others have to be hashed; else once the rows are hashed")
    func digests() throws {
        let users = users()
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        for number in 0..<100 { store.appendFocus("f\(number)", of: anna) }
        store.appendFocus("f", of: ben)
        for user in [anna, ben] {
            let loaded = try store.loaded(user)
            // The read model has everything, without the sums.
            users.hear(
                .loaded(
                    LoadedUser(
                        state: loaded.state, projectedVersion: loaded.state.version, touchedKeys: [],
                        head: loaded.head), user, PartLog.partition))
            grow(user, users)
        }
        let first = try #require(try write(users)).users.filter { $0.digests != nil }
        #expect(first.map(\.user) == [ben])
        users.keepDigests(of: [anna, ben]) { [store] _ in store.head }
        #expect([anna, ben].map { users.backlog.isBehind($0, in: PartLog.partition) } == [true, false])
        // A checkpoint was made of the rows meanwhile.
        let cached = try #require(users[anna])
        let view = View(scope: .system, device: DeviceID(UUID()), deviceClass: .phone)
        let digests = cached.state.digests(in: view)
        let second = try #require(try write(users)).users
        #expect(second.map(\.user) == [anna] && second[0].digests?.digests(in: view) == digests)
        users.keepDigests(of: [anna]) { [store] _ in store.head }
        #expect(!users.backlog.isBehind(anna, in: PartLog.partition), "they are written once")
    }

    @Test("A quarantined user holds back nobody: the checkpoint reaches the head")
    func quarantined() throws {
        let users = users()
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        for user in [anna, ben] { try load(user, users) }
        for user in [anna, ben, ben] { grow(user, users) }
        users.quarantine(anna, BrokenUser())
        let batch = try #require(try write(users))
        let (written, reached) = (batch.users.map(\.user), checkpoint(users))
        #expect(written == [ben] && reached == LogOffset(3))
        let (passed, isBehind) = (batch.passed, users.backlog.isBehind(anna, in: PartLog.partition))
        #expect(passed == .named([anna]) && isBehind)
    }

    @Test("However many cannot be loaded, and however often they are tried, the others are written, and who is mended too")
    func manyBroken() throws {
        let users = users { $0.quarantineMilliseconds = 1 }
        var broken = (0..<600).map { _ in UserID(UUID()) }
        let (mended, ben) = (broken[599], UserID(UUID()))
        for user in broken + [ben] { grow(user, users) }
        /// Makes batches until the user is in one.
        func rounds(to user: UserID) throws -> Int {
            for round in 1...50 {
                time.advance(10_000)
                users.endQuarantines()
                _ = users.dueProjections()
                for id in broken where users.backlog.awaits(id, in: PartLog.partition) {
                    users.hear(.unloadable(id, BrokenUser()))
                }
                for id in [mended, ben] where users.backlog.awaits(id, in: PartLog.partition) { try load(id, users) }
                if try write(users)?.users.contains(where: { $0.user == user }) == true { return round }
            }
            return .max
        }
        #expect(try rounds(to: ben) <= 600 / 64 + 2)
        broken.removeLast()
        #expect(try rounds(to: mended) <= 600 / 16 + 2)
    }

    @Test("A batch is bounded in bytes too; one user's rows may pass the bound")
    func bytes() throws {
        let users = users()
        let all = (0..<100).map { _ in UserID(UUID()) }
        for user in all {
            try load(user, users)
            grow(user, users, bytes: 1_000_000)
        }
        var (batches, written) = (0, Set<UserID>())
        while let batch = try write(users) {
            let bytes = batch.users.map { $0.rows.reduce(0) { $0 + ($1.row?.value.count ?? 0) } }
            let others = bytes.dropLast().reduce(0, +)
            #expect(others < 32 << 20)
            written.formUnion(batch.users.map(\.user))
            batches += 1
        }
        let (everybody, reached) = (written == Set(all), checkpoint(users))
        #expect(batches == 3 && everybody && reached == LogOffset(100))
    }

    @Test(
        "A user whose rows the database refuses is found by halving, and is left out for a while; devices notice nothing"
    )
    func refused() throws {
        let users = users()
        let all = (0..<5).map { _ in UserID(UUID()) }
        for user in all {
            try load(user, users)
            grow(user, users)
        }
        var sizes: [Int] = []
        while users.backlog.checkpoint(of: PartLog.partition) < store.head.nextOffset {
            time.advance(1_000)
            let due = users.dueProjections()
            #expect(due == [PartLog.partition])
            let (batch, made) = try #require(users.makeBatch(store.head, store.line))
            var report = made
            sizes.append(batch.users.count)
            let isRefused = batch.users.contains { $0.user == all[1] }
            report.result = isRefused ? .refused : .written(missing: [], checkpoint: batch.checkpoint)
            let fellBack = users.projected(report, store.head)
            #expect(!fellBack)
        }
        // Five, two, one who is written, then the one who is refused; after that one more and the rest.
        #expect(sizes == [5, 2, 1, 2, 1, 1, 2])
        #expect(users[all[1]]?.dirty.isEmpty == false && !users.isQuarantined(all[1]))
        #expect(all.map { users.backlog.isBehind($0, in: PartLog.partition) } == [false, true, false, false, false])
        time.advance(users.configuration.quarantineMilliseconds)
        let late = try write(users)?.users.map(\.user)
        #expect(late == [all[1]])
    }
}

/// The user's events do not fold.
private struct BrokenUser: Error {}
