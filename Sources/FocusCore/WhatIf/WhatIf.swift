/// A user's history folded twice, as it was and as it would have been.
///
/// Flow: events in order → `apply` → what came out otherwise → `finish` → badges and routes that ended otherwise.
/// Nothing is written anywhere. What was refused stays so: the log has no more of it than the refusal.
public struct WhatIf: Sendable {
    /// What the server would append at a moment (rules T1, T3): the clock's part, which the fold does not know.
    public typealias Due = (borrowing UserState, Timestamp) -> (at: Timestamp, body: EventBody)?

    private let rule: WhatIfRule
    public private(set) var before: UserState
    /// The history as it would have been. It counts versions of its own, because it may have events that never were.
    private(set) var after: UserState
    private var opened: Set<AppID> = []
    /// Alerts about which the two states differ, until both decisions are final.
    private var pending: [RowKey: WhatIfDifference.Alert] = [:]
    private var openings = DeviceSequence.zero

    /// A device that is nobody's: it sets what would have been set.
    private static let device = DeviceID(bytes: [UInt8](repeating: 0xFF, count: 16)) ?? .server
    /// How many events that would have fallen due are added before one event of the real history. Alerts may ring
    /// elsewhere before the end of a Focus, between that and a summary, and after both. More than twice as many are let
    /// through, so that this bound only ends a loop in which the rules contradict each other, and never cuts a history
    /// short.
    private static let dueLimit = 12

    public init(_ rule: WhatIfRule, of user: UserID) {
        self.rule = rule
        before = UserState(user: user)
        after = UserState(user: user)
    }

    /// Folds the next event of the stream into both states, and returns the alerts about which all is known. Throws
    /// what `UserState.apply` throws.
    public mutating func apply(_ event: Event, due: Due) throws(FoldError) -> [WhatIfDifference] {
        var touched: Set<RowKey> = []
        if event.device != .server {
            for _ in 0..<Self.dueLimit {
                // Where the server was late in the real history, it would have been late in this one too.
                guard due(before, event.recordedAt) == nil, let next = due(after, event.recordedAt) else { break }
                touched.formUnion(try add(next.body, device: .server, app: nil, at: next.at, beside: event))
            }
        }
        touched.formUnion(Self.alerts(try before.apply(event)))
        try applyChanged(event, &touched)
        return settle(touched, by: event)
    }

    /// The differences that are left: alerts that are still open, by version, then badges and routes that are different
    /// now, by key.
    public mutating func finish() -> [WhatIfDifference] {
        let alerts = pending.sorted { ($0.value.version, $0.key) < ($1.value.version, $1.key) }
            .map { WhatIfDifference.alert($0.value) }
        pending = [:]
        return alerts + endings
    }

    // MARK: As it would have been

    private mutating func applyChanged(_ event: Event, _ touched: inout Set<RowKey>) throws(FoldError) {
        var changed = rule.changed(event)
        changed.version = after.version.next
        if event.device == .server {
            changed.sequence = after.lastSequence(of: .server, incarnation: event.incarnation).next
            // What falls due by the state may not be due any more, or may have come already.
            guard !changed.body.fallsDue || after.validate(changed, scope: .system) == nil else { return }
        }
        touched.formUnion(Self.alerts(try after.apply(changed)))
        guard case .appRegistered = event.body, let app = event.app else { return }
        // Nothing rings before an app is registered.
        let bodies = opened.isEmpty ? rule.openingsOfUser : []
        guard opened.insert(app).inserted else { return }
        for body in bodies {
            touched.formUnion(try add(body, device: Self.device, app: nil, at: event.occurredAt, beside: event))
        }
        for body in rule.openings(of: app) {
            touched.formUnion(try add(body, device: Self.device, app: app, at: event.occurredAt, beside: event))
        }
    }

    /// Appends an event that never was to the history as it would have been. Returns the alerts that it touched.
    private mutating func add(
        _ body: EventBody, device: DeviceID, app: AppID?, at time: Timestamp, beside event: Event
    ) throws(FoldError) -> [RowKey] {
        let incarnation = Incarnation(0)
        let added = Event(
            version: after.version.next, device: device, incarnation: incarnation,
            sequence: after.lastSequence(of: device, incarnation: incarnation).next, id: event.id, app: app,
            occurredAt: time, recordedAt: event.recordedAt, body: body)
        return Self.alerts(try after.apply(added))
    }

    // MARK: What differs

    private static func alerts(_ keys: [RowKey]) -> [RowKey] { keys.filter { $0.collection == .alerts } }

    /// Compares the alerts that an event touched in either state. Returns those about which all is known.
    private mutating func settle(_ touched: Set<RowKey>, by event: Event) -> [WhatIfDifference] {
        var settled: [WhatIfDifference] = []
        for key in touched.sorted() {
            guard let app = key.app else { continue }
            let (old, new) = (Self.alert(key, before), Self.alert(key, after))
            // A re-post is another decision (rule N10).
            if event.posts(key), let known = pending.removeValue(forKey: key) { settled.append(.alert(known)) }
            if pending[key] == nil {
                guard Self.differ(old, new) else { continue }
                pending[key] = WhatIfDifference.Alert(
                    app: app, notification: key.key, version: event.version, recordedAt: event.recordedAt,
                    before: old, after: new)
            }
            if old?.alert == .now, pending[key]?.rangBefore == nil { pending[key]?.rangBefore = event.recordedAt }
            if new?.alert == .now, pending[key]?.rangAfter == nil { pending[key]?.rangAfter = event.recordedAt }
            guard old?.isOpen != true, new?.isOpen != true else { continue }
            if let known = pending.removeValue(forKey: key) { settled.append(.alert(known)) }
        }
        return settled
    }

    /// Whether the user would notice: they see what rings, not the reason.
    private static func differ(_ old: AlertDecision?, _ new: AlertDecision?) -> Bool {
        old?.alert != new?.alert || old?.overridesSilentSwitch != new?.overridesSilentSwitch
    }

    private static func alert(_ key: RowKey, _ state: borrowing UserState) -> AlertDecision? {
        guard let row = state.row(key), !row.isDeleted else { return nil }
        return (try? AlertRow(decoding: row.value))?.decision
    }

    private var endings: [WhatIfDifference] {
        var keys = Set(before.rowKeys.filter { $0.collection == .badges || $0.collection == .routes })
        keys.formUnion(after.rowKeys.filter { $0.collection == .badges || $0.collection == .routes })
        return keys.sorted().compactMap { key in
            guard let app = key.app else { return nil }
            let (old, new) = (Self.value(key, before), Self.value(key, after))
            guard old != new else { return nil }
            guard key.collection == .routes else {
                let counts = [old, new].map { $0.flatMap { try? BadgeRow(decoding: $0) }?.count }
                guard counts[0] != counts[1] else { return nil }
                return .badge(.init(app: app, before: counts[0], after: counts[1]))
            }
            let routes = [old, new].map { $0.flatMap { try? RouteRow(decoding: $0) }?.aggregates }
            return .route(.init(app: app, route: key.key, before: routes[0], after: routes[1]))
        }
    }

    private static func value(_ key: RowKey, _ state: UserState) -> [UInt8]? {
        guard let row = state.row(key), !row.isDeleted else { return nil }
        return row.value
    }
}

extension AlertDecision {
    /// Whether it may still come out otherwise: it is held, or its app was told in its stead for now.
    fileprivate var isOpen: Bool { alert.isHeld || reason == .inFront }
}

extension EventBody {
    /// Whether the server appends it because of what the state says (rules T1, T3, T4, T5).
    fileprivate var fallsDue: Bool {
        switch self {
        case .focusExpired, .summaryDelivered, .alertRingsElsewhere, .deviceActivityEnded: true
        default: false
        }
    }
}

extension Event {
    fileprivate func posts(_ key: RowKey) -> Bool {
        let id: String
        switch body {
        case .notificationPosted(let post): id = post.notificationID
        case .governmentAlertPosted(let alert): id = alert.post.notificationID
        default: return false
        }
        return app == key.app && ByteText.equal(id, key.key)
    }
}
