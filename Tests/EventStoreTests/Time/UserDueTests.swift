import EventStore
import FocusCore
import Foundation
import SeededNumbers
import Support
import Testing

@Suite("UserState: what is due") struct UserDueTests {
    /// Rules T1 and T3 for random users at random moments.
    @Test(
        "T1, T3: something is due exactly from dueAt on; it is accepted, and what follows it is due no earlier",
        arguments: [1, 2, 3, 4])
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (expirations, summaries) = (0, 0)
        for _ in 0..<300 {
            var state = try Self.user(&random)
            for _ in 0..<4 {
                let dueAt = state.dueAt
                let now = (dueAt ?? Self.noon).adding(
                    microseconds: Int64.random(in: -2...2, using: &random) * 43_200_000_000)
                let due = state.dueEvent(at: now)
                #expect((due != nil) == (dueAt.map { $0 <= now } ?? false))
                guard let due, let dueAt else { continue }
                // When several summaries are overdue only the latest is delivered, so its time may be later than
                // `dueAt`.
                #expect(due.at >= dueAt && due.at <= now)
                let event = Event(
                    version: state.version.next, device: .server, incarnation: Incarnation(0),
                    sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next, id: EventID(UUID()),
                    app: nil, occurredAt: due.at, recordedAt: now, body: due.body)
                #expect(state.validate(event, scope: .system) == nil)
                _ = try state.apply(event)
                #expect(state.dueEvent(at: now).map { $0.at >= due.at && $0.body.type != due.body.type } ?? true)
                if case .focusExpired = due.body { expirations += 1 } else { summaries += 1 }
            }
        }
        #expect(expirations > 50 && summaries > 50)
    }

    /// A user with a Focus from 0 to 60 s, whose chat's alerts ring on the phone in use first.
    private static func inUse(_ posts: [Int64]) throws -> UserState {
        var state = UserState(user: UserID(UUID()))
        func at(_ second: Int64) -> Timestamp { noon.adding(microseconds: second * 1_000_000) }
        let app = AppID("a")!
        let device = DeviceID(state.user.uuid)
        var bodies: [(Int64, AppID?, EventBody)] = [
            (0, app, .appRegistered(AppRegistered(name: "A", build: 1))),
            (0, app, .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized))),
            (0, nil, .focusConfigured(FocusConfigured(focusID: "f", name: "F", allowedApps: [app]))),
            (0, nil, .focusChanged(FocusChanged(focusID: "f", isActive: true, endsAt: at(60)))),
            (
                0, nil,
                .deviceActivity(DeviceActivity(device: device, scope: .system, deviceClass: .phone, app: nil))
            ),
        ]
        for second in posts {
            let post = NotificationPosted(notificationID: "n\(second)", title: "t", body: "b")
            bodies.append((second, app, .notificationPosted(post)))
        }
        for (index, (second, app, body)) in bodies.enumerated() {
            let isServers = body.type.traits.author == .server
            let author: DeviceID = isServers ? .server : device
            let incarnation = Incarnation(isServers ? 0 : 1)
            _ = try state.apply(
                Event(
                    version: state.version.next, device: author, incarnation: incarnation,
                    sequence: state.lastSequence(of: author, incarnation: incarnation).next,
                    id: EventID(UUID()), app: app, occurredAt: at(second), recordedAt: at(second), body: body))
            #expect(index < 100)
        }
        return state
    }

    @Test("T4: what is to ring elsewhere does so in one event, but for what was due after a Focus ended")
    func rings() throws {
        var state = try Self.inUse([5, 10, 29, 31, 40])
        func at(_ second: Int64) -> Timestamp { Self.noon.adding(microseconds: second * 1_000_000) }
        #expect(state.dueAt == at(35) && state.dueEvent(at: at(34)) == nil)
        var times: [Timestamp] = []
        var types: [EventType] = []
        while let due = state.dueEvent(at: at(100)) {
            let event = Event(
                version: state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next, id: EventID(UUID()),
                app: nil, occurredAt: due.at, recordedAt: at(100), body: due.body)
            #expect(state.validate(event, scope: .system) == nil)
            _ = try state.apply(event)
            times.append(due.at)
            types.append(due.body.type)
            guard types.count < 10 else { break }
        }
        #expect(types == [.alertRingsElsewhere, .focusExpired, .alertRingsElsewhere])
        #expect(times == [at(59), at(60), at(70)] && state.dueAt == nil)
    }

    private static let noon = Timestamp(microseconds: 1_774_700_000_000_000)

    /// A random user with some or all of: a Focus that ends, a delivery schedule, an alert that waits.
    private static func user(_ random: inout SplitMix64) throws -> UserState {
        var state = UserState(user: UserID(random.uuid()))
        let app = AppID("a")!
        let end = noon.adding(microseconds: Int64.random(in: 1...200_000, using: &random) * 1_000_000)
        let zone = ["Europe/Zurich", "Australia/Lord_Howe", "Nowhere"].randomElement(using: &random)!
        let times = Set((0..<3).map { _ in Int32.random(in: 0..<1_440, using: &random) })
        var bodies: [(AppID?, EventBody)] = [
            (app, .appRegistered(AppRegistered(name: "A", build: 1))),
            (app, .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized))),
            (app, .notificationSettingsChanged(NotificationSettingsChanged(scheduledDelivery: .on))),
        ]
        if Int.random(in: 0..<5, using: &random) > 0 {
            bodies.append((nil, .deliveryScheduleChanged(DeliveryScheduleChanged(times: times, timeZone: zone))))
        }
        if Int.random(in: 0..<5, using: &random) > 0 {
            let allowed: Set<AppID> = Bool.random(using: &random) ? [app] : []
            bodies += [
                (nil, .focusConfigured(FocusConfigured(focusID: "f", name: "F", allowedApps: allowed))),
                (nil, .focusChanged(FocusChanged(focusID: "f", isActive: true, endsAt: end))),
            ]
        }
        if Int.random(in: 0..<5, using: &random) > 0 {
            bodies.append((app, .notificationPosted(NotificationPosted(notificationID: "n", title: "t", body: "b"))))
        }
        for (index, (app, body)) in bodies.enumerated() {
            let event = Event(
                version: state.version.next, device: DeviceID(state.user.uuid), incarnation: Incarnation(1),
                sequence: DeviceSequence(Int64(index + 1)), id: EventID(random.uuid()), app: app, occurredAt: noon,
                recordedAt: noon, body: body)
            #expect(state.validate(event, scope: .system) == nil)
            _ = try state.apply(event)
        }
        return state
    }
}
