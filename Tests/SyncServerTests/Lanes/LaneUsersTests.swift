import FocusCore
import Foundation
import Testing

@testable import EventStore
@testable import SyncServer

/// Memory, schedule and backlog of a lane's users, which change together.
@Suite struct LaneUsersTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let heard = Heard()

    private final class Heard {
        var news: [UserNews] = []

        func all() -> [String] {
            defer { news = [] }
            return news.map { news in
                switch news {
                case .changed: "changed"
                case .left: "left"
                case .visibilityChanged: "visibility"
                case .caughtUp: "caught up"
                case .missed: "missed"
                case .missedRevocation: "missed revocation"
                case .forgetsRevocations: "forgets revocations"
                }
            }
        }
    }

    private func users(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneUsers {
        var configuration = LaneConfiguration()
        change(&configuration)
        return LaneUsers(LaneSamples.context(time, configuration), [PartLog.partition]) { [heard] in
            heard.news.append($0)
        }
    }

    private func load(_ user: UserID, _ users: LaneUsers) throws {
        users.hear(.loaded(try store.loaded(user), user, PartLog.partition))
    }

    private func follow(_ event: LoggedEvent, _ users: LaneUsers) {
        users.hear(.followed(event))
        users.hear(.caughtUp([event.user]))
    }

    /// A Focus that ends after an hour; it counts only where it is configured.
    private var hour: EventBody {
        .focusChanged(
            FocusChanged(
                focusID: "work", isActive: true, endsAt: time.wall.adding(microseconds: 3_600_000_000)))
    }

    @Test("A loaded user is in memory, scheduled, and told; one who cannot be loaded is quarantined for a while")
    func loading() throws {
        let users = users { $0.quarantineMilliseconds = 1_000 }
        store.appendFocus("work", of: anna)
        store.append(hour, of: anna)
        try load(anna, users)
        #expect(users[anna]?.state.version == Version(2) && users[anna]?.dirty.isEmpty == false)
        #expect(users.due[anna] != nil && heard.all() == ["caught up"])
        users.hear(.unloadable(ben, BrokenUser()))
        #expect(users.isQuarantined(ben) && heard.all() == ["visibility"])
        time.advance(999)
        users.endQuarantines()
        #expect(users.isQuarantined(ben))
        time.advance(1)
        users.endQuarantines()
        #expect(!users.isQuarantined(ben) && heard.all() == ["visibility"])
    }

    @Test("Another server's event is folded, marks its rows for the read model, and is told as a change")
    func follows() throws {
        let users = users()
        store.appendFocus("work", of: anna)
        try load(anna, users)
        _ = heard.all()
        follow(store.append(hour, of: anna), users)
        #expect(users[anna]?.state.version == Version(2) && users[anna]?.dirty.isEmpty == false)
        #expect(users.backlog.isBehind(anna, in: PartLog.partition) && users.due[anna] != nil)
        #expect(heard.all() == ["changed", "caught up"])
        // The same event again is known already.
        users.hear(.followed(store.events[1]))
        #expect(users[anna]?.state.version == Version(2))
    }

    @Test("An event of a user who is not in memory leaves nothing known of what is due, and is told as missed")
    func missed() {
        let users = users()
        users.due.schedule(anna, at: nil)
        users.hear(.followed(store.append(hour, of: anna)))
        #expect(!users.due.knows(anna) && users.backlog.isBehind(anna, in: PartLog.partition))
        #expect(heard.all() == ["changed", "missed"])
    }

    @Test("A gap in a user's versions sends them away; a fold that fails quarantines them; either is told as missed")
    func gap() throws {
        let users = users()
        try load(anna, users)
        store.append(hour, of: anna)
        _ = heard.all()
        users.hear(.followed(store.append(hour, of: anna)))
        #expect(users[anna] == nil && !users.isQuarantined(anna))
        #expect(heard.all() == ["changed", "left", "missed"])
        try load(anna, users)
        _ = heard.all()
        var broken = store.append(hour, of: anna)
        broken.payload = [0xFF]
        users.hear(.followed(broken))
        #expect(users.isQuarantined(anna) && heard.all() == ["changed", "visibility", "missed"])
    }

    @Test("A3: a state that knows of revoked devices is told of before it leaves: dropped, quarantined or handed over")
    func revocations() throws {
        let users = users()
        store.append(.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))), of: anna)
        let event = Event(
            version: Version(2), device: DeviceID(UUID()), incarnation: Incarnation(1), sequence: DeviceSequence(1),
            id: EventID(UUID()), app: nil, occurredAt: time.wall, recordedAt: time.wall, body: .badgeCleared)
        for leave in [
            { users.forget($0.id) }, { users.quarantine($0.id, BrokenUser()) },
            { _ = users.handOver($0, event, behind: store.head) },
        ] as [(CachedUser) -> Void] {
            try load(anna, users)
            _ = heard.all()
            leave(try #require(users[anna]))
            #expect(users[anna] == nil && heard.all().first == "forgets revocations")
        }
    }

    @Test("A user with more events than are folded leaves, unless they were loaded since")
    func skips() throws {
        let users = users()
        for user in [anna, ben] {
            store.append(hour, of: user)
            try load(user, users)
        }
        _ = heard.all()
        users.hear(.skipped(UserInRange.of(anna, Version(5), LogOffset(9)), PartLog.partition))
        users.hear(.skipped(UserInRange.of(ben, Version(1), LogOffset(8)), PartLog.partition))
        #expect(users[anna] == nil && users[ben] != nil)
        #expect(users.backlog.isBehind(anna, in: PartLog.partition) && !users.due.knows(anna))
        #expect(heard.all() == ["left", "changed", "changed"])
    }

    @Test("A3: of events that nobody reads it is told whether they revoke devices, unless the user was loaded since")
    func skipsRevocations() throws {
        let users = users()
        store.append(hour, of: ben)
        try load(ben, users)
        _ = heard.all()
        for (user, version) in [(anna, Version(5)), (ben, Version(1))] {
            var range = UserInRange.of(user, version, LogOffset(9))
            range.revokes = true
            users.hear(.skipped(range, PartLog.partition))
        }
        #expect(heard.all() == ["changed", "missed revocation", "changed"])
    }

    @Test(
        "Past their bound users leave memory; when something is due for them stays known while the read model is behind"
    )
    func evicts() throws {
        let users = users { $0.cacheBytes = 1 }
        for user in [anna, ben] {
            store.append(hour, of: user)
            try load(user, users)
        }
        users.backlog.markDirty(ben, at: LogOffset(1), in: PartLog.partition)
        #expect(users.evict().isEmpty, "states that are freed at once")
        #expect(users[anna] == nil && users[ben] == nil)
        #expect(!users.due.knows(anna) && users.due.knows(ben))
    }

    @Test("Q1: the state of a large user who leaves memory is given up, for others to free")
    func givesUpStates() throws {
        let users = users { $0.cacheBytes = 1 }
        for number in 0..<1_000 { store.appendFocus("focus-\(number)", of: anna) }
        for user in [anna, ben] { try load(user, users) }
        #expect(users.evict().map(\.user) == [anna])
        #expect(users[anna] == nil && users[ben] == nil)
    }

    @Test("When another generation is shown, users whose rows are the same in it stay; the others leave")
    func generations() throws {
        let users = users()
        for user in [anna, ben] {
            store.append(hour, of: user)
            try load(user, users)
        }
        users.quarantine(UserID(UUID()), BrokenUser())
        _ = heard.all()
        users.hear(.generationChanges(PartLog.partition, changed: [anna]))
        #expect(users[anna] == nil && users[ben] != nil && heard.all() == ["left"])
        var head = store.head
        head.generation = 2
        users.hear(.readModelStands(PartLog.partition, at: store.head.nextOffset, lacking: []))
        users.hear(.generationChanged(head, changed: [anna], lacking: []))
        // Something may be known of the quarantined user again.
        #expect(heard.all() == ["visibility"])
        #expect(users[ben]?.generation == 2 && users[ben]?.dirty.isEmpty == true)
        #expect(users[ben]?.projectedVersion == Version(1))
        // Generation 3 lacks other rows of the user than generation 2 did, so the state in memory does not fit it.
        head.generation = 3
        users.hear(.generationChanged(head, changed: [], lacking: [.of(ben, Version(1), LogOffset(1))]))
        #expect(users[ben] == nil && heard.all() == ["left"])
    }

    // MARK: The read model

    private func batch(_ users: LaneUsers) throws -> (ProjectionBatch, ProjectionReport) {
        var due = users.dueProjections()
        let missing = [anna, ben].filter(users.isLoading)
        if !missing.isEmpty {
            #expect(due.isEmpty, "the users are loaded first")
            for user in missing { try load(user, users) }
            due = users.dueProjections()
        }
        #expect(due == [PartLog.partition])
        return try #require(users.makeBatch(store.head, store.line))
    }

    @Test("A batch has what changed, up to the head; written, nothing is behind; events since keep their user behind")
    func projects() throws {
        let users = users()
        users.hear(.readModelStands(PartLog.partition, at: .zero, lacking: []))
        follow(store.append(hour, of: anna), users)
        follow(store.append(hour, of: ben), users)
        time.advance(10_000)
        var (batch, report) = try batch(users)
        #expect(Set(batch.users.map(\.user)) == [anna, ben] && batch.checkpoint == store.head.nextOffset)
        #expect(users[anna]?.dirty.isEmpty == true && users.dueProjections().isEmpty, "one batch at a time")
        follow(store.appendFocus("gym", of: anna), users)
        report.result = .written(missing: [], checkpoint: batch.checkpoint)
        #expect(!users.projected(report, store.head))
        #expect(users.backlog.isBehind(anna, in: PartLog.partition))
        #expect(!users.backlog.isBehind(ben, in: PartLog.partition))
        #expect(users[ben]?.projectedVersion == Version(1))
        #expect(users.backlog.checkpoint(of: PartLog.partition) == LogOffset(2))
    }

    @Test("A batch that failed is dirty again and comes later; one that fell back says how far")
    func projectionFails() throws {
        let users = users()
        follow(store.append(hour, of: anna), users)
        time.advance(10_000)
        var (_, report) = try batch(users)
        report.result = .failed
        #expect(!users.projected(report, store.head) && users[anna]?.dirty.isEmpty == false)
        #expect(users.dueProjections().isEmpty)
        time.advance(10_000)
        (_, report) = try batch(users)
        report.result = .checkpointRegressed
        #expect(users.projected(report, store.head) && users[anna]?.dirty.isEmpty == false)
        users.hear(.checkpointRegressed(PartLog.partition, to: .zero, lacking: [.of(anna, Version(1), LogOffset(0))]))
        #expect(users[anna] == nil && users.backlog.isBehind(anna, in: PartLog.partition))
    }

    @Test("A report of what was read before says nothing: the read model is another, or another generation is shown")
    func projectionOfBefore() throws {
        let users = users()
        follow(store.append(hour, of: anna), users)
        time.advance(10_000)
        var (_, report) = try batch(users)
        report.result = .written(missing: [], checkpoint: store.head.nextOffset)
        var head = store.head
        head.generation = 2
        #expect(!users.projected(report, head) && users.backlog.isBehind(anna, in: PartLog.partition))
        users.hear(.readModelIsAnother)
        #expect(!users.projected(report, store.head) && users.backlog.isBehind(anna, in: PartLog.partition))
    }

    @Test("A user whose row is missing in the read model is loaded again")
    func missingRow() throws {
        let users = users()
        follow(store.append(hour, of: anna), users)
        time.advance(10_000)
        var (_, report) = try batch(users)
        report.result = .written(missing: [anna], checkpoint: .zero)
        _ = users.projected(report, store.head)
        #expect(users[anna] == nil && users.backlog.isBehind(anna, in: PartLog.partition))
    }

    // MARK: Time

    @Test("T1: a look takes up whom the read model names, who is due and gone, and whose time is not known")
    func looks() throws {
        let users = users()
        let (carol, dora) = (UserID(UUID()), UserID(UUID()))
        users.due.schedule(ben, at: time.wall)
        users.hear(.skipped(.of(carol, Version(5), LogOffset(9)), PartLog.partition))
        users.due.scan.begin([PartLog.partition], at: time.wall)
        users.due.scan.advance(past: [], limit: 1)
        let named = DueUser(partition: PartLog.partition, user: dora, dueAt: time.wall)
        users.look([named], at: time.wall) { _ in store.head }
        #expect([ben, carol, dora].allSatisfy(users.isLoading) && !users.isLoading(anna))
        #expect(users.due.nextLook == time.now.adding(milliseconds: users.configuration.lookMilliseconds))
    }

    @Test("T1: who is loaded because something is due for them is staged on arrival, before the next look")
    func arrivals() throws {
        let users = users()
        store.appendFocus("work", of: anna)
        store.append(hour, of: anna)
        time.advance(3_600_001)
        let named = DueUser(partition: PartLog.partition, user: anna, dueAt: time.wall)
        users.look([named], at: time.wall) { _ in store.head }
        #expect(!users.due.hasArrivals)
        try load(anna, users)
        #expect(users.due.hasArrivals)
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head])
        users.stageDue(into: &staging)
        #expect(staging.eventCount == 1 && !users.due.hasArrivals)
    }

    @Test("T1: no further look is made while as many users as one look takes are being loaded")
    func bounds() throws {
        let users = users { $0.dueUsersPerLook = 2 }
        let named = [anna, ben].map { DueUser(partition: PartLog.partition, user: $0, dueAt: time.wall) }
        users.look([named[0]], at: time.wall) { _ in store.head }
        #expect(users.nextLook != nil)
        users.look([named[1]], at: time.wall) { _ in store.head }
        #expect(users.nextLook == nil)
        users.hear(.unloadable(ben, BrokenUser()))
        #expect(users.nextLook != nil)
    }

    @Test("T1: a user whom the read model names and who is not due is projected once more")
    func requeues() throws {
        let users = users()
        store.append(hour, of: anna)
        try load(anna, users)
        users.due.scan.begin([PartLog.partition], at: time.wall)
        let named = [anna, ben].map { DueUser(partition: PartLog.partition, user: $0, dueAt: time.wall) }
        users.look(named, at: time.wall) { _ in store.head }
        #expect(users.backlog.isBehind(anna, in: PartLog.partition))
        #expect(!users.backlog.isBehind(ben, in: PartLog.partition))
        try load(ben, users)
        #expect(users.backlog.isBehind(ben, in: PartLog.partition))
    }

    @Test("T1, Q1: what falls due takes a quarter of a statement, so that appends go with each; the rest comes next")
    func leavesRoom() throws {
        let users = users { $0.eventsPerStatement = 8 }
        for id in (0..<6).map({ _ in UserID(UUID()) }) {
            store.appendFocus("work", of: id)
            store.append(hour, of: id)
            try load(id, users)
        }
        time.advance(3_600_001)
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head])
        users.stageDue(into: &staging)
        #expect(staging.eventCount == 2 && staging.hasRoom(users.configuration))
        #expect(users.nextLook.map { $0 <= time.now } == true)
    }

    @Test("T1: what is due is staged for those in memory, once")
    func stages() throws {
        let users = users()
        store.appendFocus("work", of: anna)
        store.append(hour, of: anna)
        try load(anna, users)
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head])
        users.stageDue(into: &staging)
        #expect(staging.batches.isEmpty)
        time.advance(3_600_001)
        staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head])
        users.stageDue(into: &staging)
        #expect(staging.batches[PartLog.partition]?.events.map(\.type) == [EventType.focusExpired.rawValue])
        users.stageDue(into: &staging)
        #expect(staging.eventCount == 1)
    }
}

/// The user's events do not fold.
private struct BrokenUser: Error {}

extension UserInRange {
    fileprivate static func of(_ user: UserID, _ version: Version, _ offset: LogOffset) -> UserInRange {
        UserInRange(user: user, version: version, firstOffset: offset, lastOffset: offset)
    }
}
