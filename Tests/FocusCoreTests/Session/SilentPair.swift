import Foundation
import SeededNumbers

@testable import FocusCore

/// One of two histories of a user with the same seed: what the app `chat` may see is the same in both, in the same
/// order, and what lies between differs.
struct SilentPair {
    enum Side: UInt64 {
        case first = 1
        case second = 2
    }

    /// What somebody is told who may see no more than `chat` may.
    enum Told: Hashable {
        case message(Int, ServerMessage)
        case answer(RefusalCode?, String?, Version)
        case statuses([PeerStatus])
        case fetched(FetchOutcome)
        case reach(ReachQuestion, Reach)
        case cannotContinue
    }

    private static let app = AppID.chat
    private static let log = LogID(Stage.uuid(7))
    private static let others = (0..<4).map { AppID("com.example.other\($0)")! } + [.mail]

    /// How `chat` stands to the Focus.
    private enum Access: CaseIterable { case denied, undetermined, authorized }

    private var state = UserState(user: .ada)
    private var sequences: [String: Int64] = [:]
    private let access: Access
    private let isSilent: Bool
    private var shared: SplitMix64
    private var secret: SplitMix64
    private var second = 1.0
    private var ids = (shared: 0, hidden: 1_000_000)
    private var sessions: [Subscription] = []
    private var feed = PeerFeed()
    private(set) var told: [Told] = []
    private(set) var hidden = 0

    static func play(_ seed: UInt64, _ side: Side, isSilent: Bool = true) -> SilentPair {
        var pair = SilentPair(seed, side, isSilent: isSilent)
        pair.begin()
        for step in 1...70 {
            for _ in 0..<Int.random(in: 0...3, using: &pair.secret) { pair.appendHidden() }
            pair.second = Double(step)
            pair.appendShared()
            if step % 7 == 0 { pair.reconnect() }
            if pair.secret.next() % 5 == 0 { pair.reload() }
        }
        return pair
    }

    private init(_ seed: UInt64, _ side: Side, isSilent: Bool) {
        access = Access.allCases[Int(seed % 3)]
        self.isSilent = isSilent
        shared = SplitMix64(seed: seed)
        secret = SplitMix64(seed: seed &* 2 &+ side.rawValue << 40)
    }

    // MARK: Sessions

    private func view(_ number: Int) -> View {
        let view = View(
            scope: .app(Self.app), device: number == 1 ? .tablet : .phone, deviceClass: number == 1 ? .tablet : .phone,
            collections: number == 2 ? [.notifications, .badges, .alerts] : nil)
        return isSilent ? view.silenced : view
    }

    private mutating func begin() {
        feed.asked()
        sessions = (0..<3).map {
            Subscription(view: view($0), log: Self.log, resumingAt: nil, pageBytes: $0 == 1 ? 200 : 64 * 1024)
        }
        for device in [DeviceID.phone, .tablet] {
            let began = DeviceIncarnationBegan(device: device, incarnation: Incarnation(2), scope: .app(Self.app))
            append(.deviceIncarnationBegan(began), nil, .server, Incarnation(0), .system, isShared: false)
        }
        let registered = AppRegistered(
            name: "Chat", build: 1, declaredIntents: [.sendMessage], capabilities: Stage.allCapabilities,
            focusStatusUsageDescription: "why")
        if access != .undetermined { fromAgent(.appRegistered(registered)) }
        fromAgent(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)))
        let status: AuthorizationStatus = access == .authorized ? .authorized : .denied
        if access != .undetermined {
            fromAgent(.authorizationChanged(AuthorizationChanged(kind: .focusStatus, status: status)))
        }
        fromAgent(.audienceChanged(AudienceChanged(add: [.bob])))
    }

    /// Ends the sessions and begins them again where their devices stand.
    private mutating func reconnect() {
        for index in sessions.indices {
            let cursor = sessions[index].cursor(state)
            let view = view(index)
            let goesOn = Subscription.accepts(cursor, view: view, log: Self.log, state: state)
            if !goesOn { told.append(.cannotContinue) }
            sessions[index] = Subscription(view: view, log: Self.log, resumingAt: goesOn ? cursor : nil)
        }
        pump()
    }

    private mutating func reload() {
        let rows = state.allRows
        guard let loaded = try? UserState(user: .ada, version: state.version, rows: rows) else {
            told.append(.cannotContinue)
            return
        }
        state = loaded
    }

    /// Sends all that is owed.
    private mutating func pump() {
        for index in sessions.indices {
            while sessions[index].isBehind(state) {
                for message in sessions[index].advance(state) { told.append(.message(index, message)) }
            }
            guard sessions[index].owesCheckpoint, let checkpoint = sessions[index].checkpoint(&state) else { continue }
            told.append(.message(index, checkpoint))
        }
        let viewer = Viewer(user: .bob, scope: .app(Self.app))
        feed.changed()
        let now = MonotonicTime(milliseconds: Int64(second * 1_000))
        let statuses = feed.update(state.visibility(to: viewer), of: .ada, to: viewer, now: now)
        if !statuses.isEmpty { told.append(.statuses(statuses)) }
    }

    // MARK: Events

    private mutating func append(
        _ body: EventBody, _ app: AppID?, _ device: DeviceID, _ incarnation: Incarnation, _ scope: Scope,
        isShared: Bool
    ) {
        let place = "\(device) \(incarnation)"
        sequences[place, default: 0] += 1
        if isShared { ids.shared += 1 } else { ids.hidden += 1 }
        let time = Timestamp.at(second)
        var event = Event(
            version: state.version.next, device: device, incarnation: incarnation,
            sequence: DeviceSequence(sequences[place] ?? 0),
            id: EventID(Stage.uuid(isShared ? ids.shared : ids.hidden)), app: app, occurredAt: time, recordedAt: time,
            body: body)
        // The server's own are not judged here.
        let refusal = device == .server ? nil : state.validate(event, scope: scope)
        if let refusal {
            event.app = scope.app
            event.body = .eventRefused(
                EventRefused(type: body.type.rawValue, code: refusal.code.rawValue, message: refusal.message))
        }
        guard (try? state.apply(event)) != nil else { return told.append(.cannotContinue) }
        if isShared {
            told.append(.answer(refusal?.code, refusal?.message, state.head(of: view(0)).version))
        } else {
            hidden += 1
        }
        pump()
    }

    private mutating func fromAgent(_ body: EventBody, _ app: AppID? = SilentPair.app) {
        append(body, app, .watch, Incarnation(3), .system, isShared: true)
    }

    private mutating func appendShared() {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &shared) }
        if pick(6) == 0 {
            let previews = PreviewsChoice.allCases.randomElement(using: &shared)!
            let change = NotificationSettingsChanged(
                badges: pick(3) == 0 ? .off : .on, previews: previews, scheduledDelivery: pick(2) == 0 ? .on : .off)
            return fromAgent(.notificationSettingsChanged(change), pick(2) == 0 ? Self.app : nil)
        }
        let id = "n\(pick(6))"
        let body: EventBody =
            switch pick(14) {
            case 0: .notificationRead(NotificationIDs(ids: [id]))
            case 1: .notificationRemoved(NotificationIDs(ids: [id]))
            case 2: .badgeCleared
            case 3, 4: .focusStatusReported(FocusStatusReported(isFocused: [nil, true, false][pick(3)]))
            case 5: .preferenceChanged(PreferenceChanged(key: "p\(pick(4))", value: .integer(Int64(pick(3)))))
            case 6: .notificationActionPerformed(NotificationActionPerformed(notificationID: id, gesture: .action("x")))
            case 7: .focusConfigured(FocusConfigured(focusID: "f", name: "an app may not"))
            case 8: .audienceChanged(pick(2) == 0 ? AudienceChanged(add: [.bob]) : AudienceChanged(remove: [.bob]))
            default:
                .notificationPosted(
                    NotificationPosted(
                        notificationID: id, title: "T\(pick(3))", body: "B",
                        level: InterruptionLevel.allCases.randomElement(using: &shared)!,
                        relevance: Double(pick(3)) / 2,
                        marketing: pick(6) == 0))
            }
        // The Focus that this app may know of is on the side of what it sees, so nothing of it is hidden here.
        if access == .authorized, case .focusStatusReported = body { return }
        append(
            body, Self.app, pick(2) == 0 ? .phone : .tablet, Incarnation(2), .app(Self.app), isShared: true)
        let outcome = state.fetch(.routes(after: nil), scope: .app(Self.app), isSilent: isSilent)
        told.append(.fetched(outcome))
        askAboutReach()
    }

    /// Rule F6: what members, and others, are told of a message that they would send. While the app is in scheduled
    /// delivery, what would wait for a summary tells of the schedule.
    private mutating func askAboutReach() {
        let slot = state.appSlots[Self.app]
        let isScheduled = slot.map { state.apps[$0].settings.phone.scheduledDelivery } ?? false
        var questions = [InterruptionLevel.passive, .timeSensitive, .critical].map {
            ReachQuestion(user: .ada, app: Self.app, level: $0)
        }
        questions.append(ReachQuestion(user: .ada, app: Self.app, isCommunication: true))
        if !isScheduled { questions.append(ReachQuestion(user: .ada, app: Self.app)) }
        for question in questions {
            for viewer in [UserID.bob, .ada] {
                let viewer = Viewer(user: viewer, scope: .app(Self.app))
                let reach = state.reach(question, from: viewer, at: .at(second)) { _, time in time }
                told.append(.reach(question, reach))
            }
        }
    }

    private mutating func appendHidden() {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &secret) }
        second += 0.01
        let other = Self.others.randomElement(using: &secret)!
        let id = "n\(pick(6))"
        let focus = "f\(pick(3))"
        // Where the app may know of a Focus, one that lets it through, or tells nobody, does not exist for it.
        let letsThrough = pick(2) == 0
        let configured = FocusConfigured(
            focusID: focus, name: "F\(pick(9))", allowedApps: access != .authorized || !letsThrough ? [] : [Self.app],
            allowsTimeSensitive: pick(2) == 0, sharesStatus: access != .authorized || letsThrough)
        switch pick(16) {
        case 13, 14:
            let activity = DeviceActivity(
                device: pick(2) == 0 ? .watch : .tablet, scope: pick(2) == 0 ? .system : .app(other),
                deviceClass: .tablet,
                app: pick(2) == 0 ? Self.app : other)
            return append(.deviceActivity(activity), nil, .server, Incarnation(0), .system, isShared: false)
        case 15:
            if let dueAt = state.dueRings(upTo: .at(second)) {
                let rings = AlertRingsElsewhere(dueAt: dueAt)
                return append(.alertRingsElsewhere(rings), nil, .server, Incarnation(0), .system, isShared: false)
            }
            guard let reportedAt = state.lastActivity(of: .watch, .system) else { return }
            let end = DeviceActivityEnded(device: .watch, scope: .system, reportedAt: reportedAt)
            return append(.deviceActivityEnded(end), nil, .server, Incarnation(0), .system, isShared: false)
        case 11: return hide(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: pick(2) == 0)), nil)
        case 0: return hide(.focusConfigured(configured), nil)
        case 1, 2:
            let end: Timestamp? = pick(2) == 0 ? nil : .at(second + Double(pick(9)))
            return hide(.focusChanged(FocusChanged(focusID: focus, isActive: pick(3) > 0, endsAt: end)), nil)
        case 3:
            guard let due = state.dueExpiration, due.at <= .at(second) else { return }
            return append(.focusExpired(due.event), nil, .server, Incarnation(0), .system, isShared: false)
        case 4:
            let times: Set<Int32> = pick(3) == 0 ? [] : [Int32(pick(1_440))]
            return hide(.deliveryScheduleChanged(DeliveryScheduleChanged(times: times, timeZone: "UTC")), nil)
        case 5:
            guard let summary = state.summarySchedule else { return }
            let delivered = SummaryDelivered(schedule: summary.stamp, dueAt: .at(second))
            return append(.summaryDelivered(delivered), nil, .server, Incarnation(0), .system, isShared: false)
        case 6:
            let registered = AppRegistered(
                name: "O\(pick(3))", build: 1, declaredIntents: [.sendMessage], capabilities: Stage.allCapabilities,
                focusStatusUsageDescription: "why")
            return hide(.appRegistered(registered), other)
        case 7:
            let kind: AuthorizationKind = pick(2) == 0 ? .notifications : .focusStatus
            return hide(.authorizationChanged(AuthorizationChanged(kind: kind, status: .authorized)), other)
        case 8: return hide(pick(2) == 0 ? .badgeCleared : .notificationRead(NotificationIDs(ids: [id])), other)
        case 9: return hide(.deviceRevoked(DeviceRevoked(device: DeviceID(Stage.uuid(pick(100) + 500)))), nil)
        case 10:
            let times = AppMuted(until: .at(second + 9))
            return hide(.appMuted(times), other)
        default:
            return hide(
                .notificationPosted(NotificationPosted(notificationID: id, title: "T", body: "B\(pick(9))")), other)
        }
    }

    private mutating func hide(_ body: EventBody, _ app: AppID?) {
        append(body, app, .watch, Incarnation(4), .system, isShared: false)
    }
}
