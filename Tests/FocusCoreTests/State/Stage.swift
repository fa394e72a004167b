import Foundation
import Testing

@testable import FocusCore

extension DeviceID {
    static let phone = DeviceID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    static let tablet = DeviceID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)))
    static let watch = DeviceID(UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)))
}

extension AppID {
    static let chat = AppID("com.example.chat")!
    static let mail = AppID("com.example.mail")!
}

extension UserID {
    static let ada = UserID(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
    static let bob = UserID(UUID(uuid: (8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8)))
}

extension Timestamp {
    /// Seconds on the stage's clock, which starts at 2023-11-14T22:13:20Z.
    static func at(_ second: Double) -> Timestamp {
        Timestamp(microseconds: 1_700_000_000_000_000 + Int64((second * 1e6).rounded()))
    }
}

/// Plays one user's stream as the server does: checks, validates, logs the event or its refusal, and folds.
struct Stage {
    var state = UserState(user: .ada)
    /// Everything logged, in order.
    private(set) var events: [Event] = []
    private(set) var now = Timestamp.at(0)
    /// The keys that the last event touched.
    private(set) var touched: Set<RowKey> = []
    private var sequences: [DeviceID: Int64] = [:]

    /// Sends an event.
    /// - Parameter recorded: the server's time; by default the event's own time, but never before the last one.
    /// - Returns: the code of the refusal; nil if the event was accepted.
    @discardableResult
    mutating func send(
        _ body: EventBody, app: AppID? = nil, from device: DeviceID = .phone, at second: Double,
        recorded: Double? = nil,
        scope: Scope = .system
    ) -> RefusalCode? {
        now = max(now, .at(recorded ?? second))
        let event = Event(
            version: state.version.next, device: device, incarnation: Incarnation(1),
            sequence: DeviceSequence((sequences[device] ?? 0) + 1), id: EventID(Self.uuid(events.count + 1)), app: app,
            occurredAt: .at(second), recordedAt: now, body: body)
        let refusal = state.validate(event, scope: scope)
        log(event, refusal, scope)
        return refusal?.code
    }

    /// Logs that a device is in use, as the server does when its session reports it (rule N18).
    mutating func use(
        _ device: DeviceID, _ deviceClass: DeviceClass = .phone, app: AppID? = nil, scope: Scope = .system,
        at second: Double
    ) {
        now = max(now, .at(second))
        let activity = DeviceActivity(device: device, scope: scope, deviceClass: deviceClass, app: app)
        log(timer(.deviceActivity(activity), due: now), nil, .system)
    }

    /// Logs that what a session reported has ended, if there is anything.
    mutating func endUse(_ device: DeviceID, scope: Scope = .system, at second: Double) {
        now = max(now, .at(second))
        guard let reportedAt = state.lastActivity(of: device, scope) else { return }
        fire(.deviceActivityEnded(DeviceActivityEnded(device: device, scope: scope, reportedAt: reportedAt)), due: now)
    }

    /// Appends what is due at `second` (rules T1, T3, T4), as the server does.
    mutating func fireTimers(at second: Double) {
        now = max(now, .at(second))
        let before = events.count
        while let due = state.dueExpiration, due.at <= now, mayFire(after: before) {
            fire(.focusExpired(due.event), due: due.at)
        }
        while let delivery = dueSummary, mayFire(after: before) {
            fire(.summaryDelivered(delivery), due: delivery.dueAt)
        }
        while let dueAt = state.dueRings(upTo: now), mayFire(after: before) {
            fire(.alertRingsElsewhere(AlertRingsElsewhere(dueAt: dueAt)), due: dueAt)
        }
    }

    /// False, and a failure, if so much fell due at once that something must stay due although it was appended.
    private func mayFire(after before: Int) -> Bool {
        let isBounded = events.count - before < 1_000
        if !isBounded { Issue.record("what is due stays due") }
        return isBounded
    }

    /// An event of the server's own, as it would be logged now.
    func timer(_ body: EventBody, due: Timestamp) -> Event {
        Event(
            version: state.version.next, device: .server, incarnation: Incarnation(0),
            sequence: DeviceSequence((sequences[.server] ?? 0) + 1), id: EventID(Self.uuid(events.count + 1)),
            app: nil, occurredAt: due, recordedAt: now, body: body)
    }

    private mutating func fire(_ body: EventBody, due: Timestamp) {
        let event = timer(body, due: due)
        let refusal = state.validate(event, scope: .system)
        #expect(refusal == nil)
        log(event, refusal, .system)
    }

    private mutating func log(_ event: Event, _ refusal: Refusal?, _ scope: Scope) {
        var logged = event
        if let refusal {
            logged.app = scope.app
            logged.body = .eventRefused(
                EventRefused(
                    type: event.body.type.rawValue, code: refusal.code.rawValue, message: refusal.message))
        }
        sequences[event.device, default: 0] += 1
        let check = state.check(
            device: event.device, incarnation: event.incarnation, sequence: event.sequence)
        #expect(check == .next)
        do {
            touched = Set(try state.apply(logged))
        } catch {
            Issue.record("the fold threw \(error)")
        }
        events.append(logged)
    }

    static func uuid(_ number: Int) -> UUID {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { bytes in
            withUnsafeBytes(of: UInt64(number).bigEndian) {
                UnsafeMutableRawBufferPointer(rebasing: bytes[8...]).copyMemory(from: $0)
            }
        }
        return UUID(uuid: value)
    }
}

// Values of rows.
extension Stage {
    func value<Value: RowMessage>(_: Value.Type, _ key: RowKey) -> Value? {
        guard let row = state.row(key), !row.isDeleted else { return nil }
        do { return try Value(decoding: row.value) } catch {
            Issue.record("\(key) does not decode: \(error)")
            return nil
        }
    }

    /// The badge row, whose count is nil while the badge is hidden; nil if there is no row.
    func badge(_ app: AppID = .chat) -> BadgeRow? { value(BadgeRow.self, RowKey(.badges, app: app)) }
    func visibility(_ app: AppID = .chat) -> FocusVisibilityRow? {
        value(FocusVisibilityRow.self, RowKey(.focusVisibility, app: app))
    }
    func alert(_ id: String, _ app: AppID = .chat) -> AlertRow? {
        value(AlertRow.self, RowKey(.alerts, app: app, key: id))
    }
    func decision(_ id: String, _ app: AppID = .chat) -> AlertDecision? { alert(id, app)?.decision }
    func notification(_ id: String, _ app: AppID = .chat) -> NotificationRow? {
        value(NotificationRow.self, RowKey(.notifications, app: app, key: id))
    }
    var activeFocus: String? { value(ActiveFocusRow.self, RowKey(.activeFocus))?.focusID }

    /// All rows of the state.
    var rows: [RowKey: Row] { state.allRows }
}

extension Row {
    /// The memo without the row's place in its app's stream, which depends on the order of arrival as versions do.
    var memoAlone: [UInt8] {
        var memo = memo
        _ = RowPlace.remove(from: &memo)
        return memo
    }
}

extension UserState {
    var allRows: [RowKey: Row] {
        Dictionary(uniqueKeysWithValues: rowKeys.compactMap { key in row(key).map { (key, $0) } })
    }
}

// Events that many tests send.
extension Stage {
    static let allCapabilities: Set<AppCapability> = [.communication, .timeSensitive, .critical, .siriKit]

    /// Apps with every capability that may notify.
    static func ready(_ apps: [AppID] = [.chat], status: AuthorizationStatus = .authorized) -> Stage {
        var stage = Stage()
        for app in apps {
            stage.register(app, at: 0)
            stage.authorize(.notifications, status, app, at: 0)
            stage.authorize(.focusStatus, .authorized, app, at: 0)
        }
        return stage
    }

    @discardableResult
    mutating func register(
        _ app: AppID = .chat, name: String = "Chat", capabilities: Set<AppCapability> = Stage.allCapabilities,
        usage: String? = "To show it", at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = AppRegistered(
            name: name, build: 1, declaredIntents: [.sendMessage, .startCall], capabilities: capabilities,
            focusStatusUsageDescription: usage)
        return send(.appRegistered(body), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func authorize(
        _ kind: AuthorizationKind, _ status: AuthorizationStatus, _ app: AppID = .chat, at second: Double,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        send(
            .authorizationChanged(AuthorizationChanged(kind: kind, status: status)), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func post(
        _ id: String, _ app: AppID = .chat, level: InterruptionLevel = .active, marketing: Bool = false,
        at second: Double,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = NotificationPosted(notificationID: id, title: "T", body: "B", level: level, marketing: marketing)
        return send(.notificationPosted(body), app: app, from: device, at: second)
    }

    mutating func read(_ ids: String..., app: AppID = .chat, at second: Double, from device: DeviceID = .phone) {
        send(.notificationRead(NotificationIDs(ids: ids)), app: app, from: device, at: second)
    }

    mutating func remove(_ ids: String..., app: AppID = .chat, at second: Double, from device: DeviceID = .phone) {
        send(.notificationRemoved(NotificationIDs(ids: ids)), app: app, from: device, at: second)
    }

    mutating func clear(_ app: AppID = .chat, at second: Double, from device: DeviceID = .phone) {
        send(.badgeCleared, app: app, from: device, at: second)
    }

    mutating func configure(
        _ id: String, allows apps: Set<AppID> = [], timeSensitive: Bool = false, shares: Bool = true, at second: Double,
        from device: DeviceID = .phone
    ) {
        let body = FocusConfigured(
            focusID: id, name: id, allowedApps: apps, allowsTimeSensitive: timeSensitive, sharesStatus: shares)
        send(.focusConfigured(body), from: device, at: second)
    }

    @discardableResult
    mutating func focus(
        _ id: String, on isActive: Bool, until end: Double? = nil, at second: Double, recorded: Double? = nil,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = FocusChanged(focusID: id, isActive: isActive, endsAt: end.map { .at($0) })
        return send(.focusChanged(body), from: device, at: second, recorded: recorded)
    }
}
