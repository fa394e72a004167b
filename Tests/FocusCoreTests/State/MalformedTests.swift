import SeededNumbers
import Testing

@testable import FocusCore

/// A fold never traps, whatever a log or a table contains: it throws or goes on.
@Suite("UserState: malformed histories and rows") struct MalformedTests {
    private let times: [Int64] = [.min, .min + 1, -1, 0, 1, 1_700_000_000_000_000, .max - 1, .max]
    private let texts = ["", "a", "\0", "é", "e\u{301}", String(repeating: "x", count: 5_000), "a/b/1", "/"]

    private func body(using random: inout SplitMix64) -> EventBody {
        func text() -> String { texts.randomElement(using: &random)! }
        func time() -> Timestamp { Timestamp(microseconds: times.randomElement(using: &random)!) }
        func double() -> Double { [0, -0.0, 1, .nan, .infinity, -1e308, 90, 0.1].randomElement(using: &random)! }
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        func point() -> RoutePoint {
            RoutePoint(
                time: time(), latitude: double(), longitude: double(), altitude: double(), horizontalAccuracy: double(),
                verticalAccuracy: double(), speed: double(), course: double())
        }
        func person() -> Person { Person(handle: text(), displayName: text(), avatar: text()) }
        func people() -> [Person] { (0..<pick(4)).map { _ in person() } }
        switch pick(30) {
        case 18, 19:
            return .interactionDonated(
                InteractionDonated(
                    interactionID: text(), direction: InteractionDirection.allCases.randomElement(using: &random)!,
                    intent: pick(2) == 0
                        ? .startCall(
                            StartCall(kind: .video, caller: pick(2) == 0 ? nil : person(), participants: people()))
                        : .sendMessage(
                            SendMessage(
                                conversationID: text(), groupName: text(), sender: pick(2) == 0 ? nil : person(),
                                recipients: people())),
                    startedAt: time(), durationMicroseconds: times.randomElement(using: &random)))
        case 20: return .interactionDeleted([.ids([text(), text()]), .conversation(text()), .all][pick(3)])
        case 21:
            let actions = (0..<pick(7)).map { _ in NotificationAction(id: text(), title: text(), destructive: true) }
            return .categoriesRegistered(
                CategoriesRegistered(
                    categories: (0..<pick(3)).map { _ in
                        NotificationCategory(id: text(), hiddenPreviewsPlaceholder: text(), actions: actions)
                    }))
        case 22 where pick(2) == 0:
            let device: DeviceID = pick(2) == 0 ? .phone : .tablet
            return [
                .deviceActivity(
                    DeviceActivity(
                        device: device, scope: .system, deviceClass: .tablet, app: AppID("com.example.chat"))),
                .deviceActivityEnded(DeviceActivityEnded(device: device, scope: .system, reportedAt: time())),
                .alertRingsElsewhere(AlertRingsElsewhere(dueAt: time())),
            ][pick(3)]
        case 22:
            return .notificationActionPerformed(
                NotificationActionPerformed(
                    notificationID: text(), gesture: pick(2) == 0 ? .doubleTap : .action(text()), text: text()))
        case 23 where pick(2) == 0: return .actionHandled(ActionHandled(id: EventID(Stage.uuid(pick(40)))))
        case 23: return .appMuted(AppMuted(until: time()))
        case 24, 25:
            return .notificationSettingsChanged(
                NotificationSettingsChanged(
                    deviceClass: DeviceClass.allCases.randomElement(using: &random),
                    alerts: [.on, .off, .follow][pick(3)],
                    scheduledDelivery: pick(3) == 0 ? .off : .on))
        case 26:
            let schedule = Stamp(time: time(), device: .phone, sequence: DeviceSequence(times[pick(8)]))
            return pick(2) == 0
                ? .summaryDelivered(SummaryDelivered(schedule: schedule, dueAt: time()))
                : .deliveryScheduleChanged(DeliveryScheduleChanged(times: [.min, .max], timeZone: text()))
        case 27: return .preferenceChanged(PreferenceChanged(key: text(), value: property(pick(40), double())))
        case 28: return .preferenceReset(PreferenceReset(key: text()))
        case 29:
            let entries = [PropertyDictionary.Entry(text(), property(pick(3), double())), .init("d", .string(text()))]
            return .preferencesRegistered(
                PreferencesRegistered(build: times[pick(8)], defaults: PropertyDictionary(entries) ?? .empty))
        case 0: return .appRegistered(AppRegistered(name: text(), build: times.randomElement(using: &random)!))
        case 1:
            return .authorizationChanged(
                AuthorizationChanged(
                    kind: AuthorizationKind.allCases.randomElement(using: &random)!,
                    status: AuthorizationStatus.allCases.randomElement(using: &random)!))
        case 2:
            return .focusConfigured(
                FocusConfigured(focusID: text(), name: text(), allowedPeople: [ByteText(text()), ByteText(text())]))
        case 3: return .focusRemoved(FocusRemoved(focusID: text()))
        case 4, 5:
            return .focusChanged(
                FocusChanged(focusID: text(), isActive: pick(2) == 0, endsAt: pick(2) == 0 ? nil : time()))
        case 6: return .focusStatusReported(FocusStatusReported(isFocused: pick(2) == 0))
        case 7:
            let stamp = Stamp(time: time(), device: .phone, sequence: DeviceSequence(times[pick(8)]))
            return .focusExpired(FocusExpired(focusID: text(), activation: stamp))
        case 8: return .audienceChanged(AudienceChanged(add: [.bob], remove: [.bob, .ada]))
        case 9, 10:
            return .notificationPosted(
                NotificationPosted(
                    notificationID: text(), category: text(), title: text(), body: text(),
                    level: InterruptionLevel.allCases.randomElement(using: &random)!,
                    relevance: double(), marketing: pick(2) == 0, interactionID: pick(3) == 0 ? text() : nil,
                    eventAt: time()))
        case 11: return .notificationRead(NotificationIDs(ids: [text(), text()]))
        case 12: return .notificationRemoved(NotificationIDs(ids: pick(4) == 0 ? [] : [text()]))
        case 13: return .badgeCleared
        case 14: return .routeStarted(RouteStarted(routeID: text(), activity: text(), utcOffsetSeconds: .min))
        case 15:
            return .routeLocationsInserted(
                RouteLocationsInserted(routeID: text(), points: (0..<pick(5)).map { _ in point() }))
        case 16:
            return pick(2) == 0
                ? .workoutSaved(WorkoutSaved(workoutID: text(), activity: text(), start: time(), end: time()))
                : .routeFinished(RouteFinished(routeID: text(), workoutID: text(), metadata: [text(): text()]))
        default:
            return pick(2) == 0
                ? .routeDiscarded(RouteDiscarded(routeID: text()))
                : .eventRefused(EventRefused(type: text(), code: text(), message: text()))
        }
    }

    /// A value nested deeper than a device may send.
    private func property(_ depth: Int, _ number: Double) -> PropertyValue {
        (0..<depth).reduce(.real(number)) { value, _ in .array([value, .bool(true)]) }
    }

    private func event(_ state: UserState, using random: inout SplitMix64) -> Event {
        let device = [DeviceID.phone, .tablet, .server].randomElement(using: &random)!
        let incarnation = Incarnation([Int64.min, 1].randomElement(using: &random)!)
        return Event(
            version: state.version.next, device: device, incarnation: incarnation,
            sequence: state.lastSequence(of: device, incarnation: incarnation).next,
            id: EventID(Stage.uuid(Int.random(in: 0..<400, using: &random))),
            app: [nil, .chat, .mail].randomElement(using: &random)!,
            occurredAt: Timestamp(microseconds: times.randomElement(using: &random)!),
            recordedAt: Timestamp(microseconds: times.randomElement(using: &random)!), body: body(using: &random))
    }

    /// Applies up to `count` events that nothing validated, leaving out those that throw, and asks the state everything
    /// else.
    /// - Returns: how many did not throw.
    @discardableResult
    func play(_ state: inout UserState, count: Int, using random: inout SplitMix64) -> Int {
        let before = state.version.rawValue
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        for _ in 0..<count {
            let event = event(state, using: &random)
            _ = state.validate(event, scope: .system)
            _ = state.validate(event, scope: .app(.chat))
            _ = state.check(
                device: event.device, incarnation: event.incarnation,
                sequence: DeviceSequence(times.randomElement(using: &random)!))
            var next = state
            if (try? next.apply(event)) != nil { state = next }
        }
        _ = state.digests(in: view)
        _ = state.rows(after: SyncPosition(version: .zero), in: view, limitBytes: 0)
        return Int(state.version.rawValue - before)
    }

    @Test(
        "Any events at all: nothing traps, and the state still loads from its rows",
        arguments: 1...15 as ClosedRange<UInt64>)
    func events(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var state = UserState(user: .ada)
        let applied = play(&state, count: 400, using: &random)
        #expect(applied > 200, "seed \(seed): a state that refuses to fold shows little")
        let reloaded = try UserState(user: .ada, version: state.version, rows: state.allRows)
        #expect(reloaded.allRows == state.allRows, "seed \(seed)")
    }

    @Test("Rows load alike from a list in any order; a key that comes twice is corrupt")
    func lists() throws {
        var random = SplitMix64(seed: 5)
        var stage = HistoryMaker.ready()
        for step in 0..<200 { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        let listed = stage.rows.map { (key: $0.key, row: $0.value) }.shuffled(using: &random)
        let version = stage.state.version
        let loaded = try UserState(user: .ada, version: version, loading: listed)
        #expect(loaded.allRows == stage.rows)
        let start = SyncPosition(version: .zero)
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        let pages = [loaded, stage.state].map { $0.rows(after: start, in: view, limitBytes: .max) }
        #expect(pages[0] == pages[1])
        let twice = try #require(listed.first { $0.key.collection == .notifications && !$0.row.isDeleted })
        #expect(throws: FoldError.corruptRow(twice.key)) {
            try UserState(user: .ada, version: version, loading: listed + [twice])
        }
    }

    @Test("Damaged rows throw or load, and then fold on", arguments: 1...15 as ClosedRange<UInt64>)
    func damage(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var state = UserState(user: .ada)
        play(&state, count: 150, using: &random)
        let rows = state.allRows
        let keys = rows.keys.sorted()
        var (refused, folded) = (0, 0)
        for _ in 0..<60 {
            var damaged = rows
            let key = keys.randomElement(using: &random)!
            switch Int.random(in: 0..<5, using: &random) {
            case 0: damaged[key] = nil
            case 1: damaged[key]!.isDeleted.toggle()
            case 2: damaged[key]!.version = Version(times.randomElement(using: &random)!)
            case 3: Self.damage(&damaged[key]!.value, using: &random)
            default: Self.damage(&damaged[key]!.memo, using: &random)
            }
            guard var loaded = try? UserState(user: .ada, version: state.version, rows: damaged) else {
                refused += 1
                continue
            }
            #expect(loaded.version == state.version, "seed \(seed), \(key)")
            folded += play(&loaded, count: 15, using: &random)
        }
        #expect(refused > 0 && folded > 0, "seed \(seed)")
    }

    private static func damage(_ bytes: inout [UInt8], using random: inout SplitMix64) {
        guard !bytes.isEmpty else {
            bytes = [UInt8.random(in: 0...255, using: &random)]
            return
        }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        } else {
            bytes.removeSubrange(place...)
        }
    }
}
