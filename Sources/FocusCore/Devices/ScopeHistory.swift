/// The owner of the events that a history counts.
enum HistoryOwner: Hashable, Sendable {
    /// The incarnations that no `device.incarnationBegan` names: logs of earlier programs do not say which scope they
    /// belong to. The server's own events are counted here too.
    case unbound
    case scope(Scope)
}

/// What is remembered of a device's events in one scope (rules E1, E3). Scopes share nothing: what one app's sessions
/// do evicts nothing of another's.
struct ScopeHistory: Sendable {
    /// The most new incarnations of a scope in a day (rule P10).
    static let beginningLimit = 16

    let owner: HistoryOwner
    /// The key of its row. It is kept because every event names it, and a UUID's text takes longer to make than all the
    /// rest.
    let key: RowKey
    /// The incarnation of the newest event. Its record is part of this history's row; every other incarnation has a row
    /// of its own.
    var current: Incarnation?
    /// Its last events, for devices that speak protocol 1.
    var outcomes = RememberedOutcomes()
    /// The greatest stamp of its accepted events; nil when there is none.
    var greatest: Stamp?
    /// When its newest incarnations began, oldest first, at most `beginningLimit`.
    var beginnings: [Timestamp] = []
    /// The incarnations that were used last, the newest at the end. This program does not need them: an earlier one
    /// that reads the row goes on from them. Only the unbound history has any.
    var recent: [Incarnation] = []

    init(_ device: DeviceID, _ owner: HistoryOwner) {
        self.owner = owner
        switch owner {
        case .unbound: key = RowKey(.devices, key: device.description)
        case .scope(.system): key = RowKey(.devices, key: "\(device)/system")
        case .scope(.app(let app)): key = RowKey(.devices, app: app, key: device.description)
        }
    }

    /// The device and owner of the history whose row has this key; nil when no history's row has it.
    static func owner(of key: RowKey) -> (DeviceID, HistoryOwner)? {
        if let app = key.app { return DeviceID(text: key.key).map { ($0, .scope(.app(app))) } }
        if let device = DeviceID(text: key.key) { return (device, .unbound) }
        guard key.key.hasSuffix("/system"), let device = DeviceID(text: String(key.key.dropLast(7))) else { return nil }
        return (device, .scope(.system))
    }

    /// The stamp of an accepted event (rule E3). Sequences start again in a new incarnation. If the stamp would be
    /// lower than the last one because of that, it gets a time 1 µs after the last one's.
    /// - Parameter isLate: whether the event fills a lost place. Then it is stamped by its own time, and the stamps of
    ///   later events do not depend on it.
    mutating func stamp(_ event: Event, isLate: Bool = false) -> Stamp {
        let isOfApp = if case .scope(.app) = owner { true } else { false }
        var stamp = Stamp(
            time: event.occurredAt, device: event.device, sequence: event.sequence, isOfApp: isOfApp)
        if isLate, greatest != nil { return stamp }
        // The server's events are stamped with the times at which they were due, in whatever order they come.
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

    /// The earliest moment at which one more incarnation may begin; nil when it may begin now.
    func mayBegin(at now: Timestamp) -> Timestamp? {
        guard beginnings.count >= Self.beginningLimit, let oldest = beginnings.first else { return nil }
        let free = oldest.adding(microseconds: 24 * 3_600 * 1_000_000)
        return free > now ? free : nil
    }

    mutating func addBeginning(at time: Timestamp) {
        beginnings.append(time)
        if beginnings.count > Self.beginningLimit { beginnings.removeFirst() }
    }
}
