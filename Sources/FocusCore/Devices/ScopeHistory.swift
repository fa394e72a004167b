/// Whose events a history counts.
enum HistoryOwner: Hashable, Sendable {
    /// Of incarnations that no `device.incarnationBegan` names: logs of earlier programs do not say whose they are. The
    /// server's own events too.
    case unbound
    case scope(Scope)
}

/// What is remembered of a device's events in one scope (rules E1, E3). Scopes share nothing: what an app's sessions do
/// pushes nothing of another's out.
struct ScopeHistory: Sendable {
    /// New incarnations of a scope in a day (rule P10).
    static let beginningLimit = 16

    let owner: HistoryOwner
    /// Its row. Kept, because every event names it and a UUID's text takes longer to make than all else about it.
    let key: RowKey
    /// The incarnation of the newest event: its details stand in this history's row, those of others in their own.
    var current: Incarnation?
    /// Its last events, for devices that speak protocol 1.
    var outcomes = RememberedOutcomes()
    /// Of its accepted events.
    var greatest: Stamp?
    /// When its newest incarnations began, oldest first, at most `beginningLimit`.
    var beginnings: [Timestamp] = []
    /// The incarnations used last, the newest at the end: an earlier program that reads this row goes on by them.
    /// Unbound only.
    var recent: [Incarnation] = []

    init(_ device: DeviceID, _ owner: HistoryOwner) {
        self.owner = owner
        switch owner {
        case .unbound: key = RowKey(.devices, key: device.description)
        case .scope(.system): key = RowKey(.devices, key: "\(device)/system")
        case .scope(.app(let app)): key = RowKey(.devices, app: app, key: device.description)
        }
    }

    /// Whose history the row of this key is; nil: none.
    static func owner(of key: RowKey) -> (DeviceID, HistoryOwner)? {
        if let app = key.app { return DeviceID(text: key.key).map { ($0, .scope(.app(app))) } }
        if let device = DeviceID(text: key.key) { return (device, .unbound) }
        guard key.key.hasSuffix("/system"), let device = DeviceID(text: String(key.key.dropLast(7))) else { return nil }
        return (device, .scope(.system))
    }

    /// The stamp of an accepted event (rule E3). Sequences start again in a new incarnation; where that would put the
    /// stamp below the last one, the time moves on by the least there is.
    /// - Parameter isLate: it fills a place before the last: its own time counts, and moves nothing.
    mutating func stamp(_ event: Event, isLate: Bool = false) -> Stamp {
        let isOfApp = if case .scope(.app) = owner { true } else { false }
        var stamp = Stamp(
            time: event.occurredAt, device: event.device, sequence: event.sequence, isOfApp: isOfApp)
        // The server reports when things were due, in whatever order: it is exempt.
        if isLate, greatest != nil { return stamp }
        guard event.device != .server, let greatest else {
            greatest = stamp
            return stamp
        }
        let time = max(stamp.time, greatest.time)
        stamp = Stamp(time: time, device: event.device, sequence: event.sequence, isOfApp: isOfApp)
        if stamp <= greatest {
            stamp = Stamp(
                time: greatest.time.adding(microseconds: 1), device: event.device, sequence: event.sequence,
                isOfApp: isOfApp)
        }
        self.greatest = stamp
        return stamp
    }

    /// The earliest moment at which one more incarnation may begin; nil: now.
    func mayBegin(at now: Timestamp) -> Timestamp? {
        guard beginnings.count >= Self.beginningLimit, let oldest = beginnings.first else { return nil }
        let free = oldest.adding(microseconds: 24 * 3_600 * 1_000_000)
        return free > now ? free : nil
    }

    mutating func noteBeginning(at time: Timestamp) {
        beginnings.append(time)
        if beginnings.count > Self.beginningLimit { beginnings.removeFirst() }
    }
}
