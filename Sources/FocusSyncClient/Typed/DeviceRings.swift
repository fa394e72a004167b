import FocusCore

/// An alert that this device is to ring for.
public struct DeviceRing: Hashable, Sendable {
    public var app: AppID
    public var notificationID: String
    /// What was decided about it, for this device's class.
    public var alert: AlertRow

    public init(app: AppID, notificationID: String, alert: AlertRow) {
        self.app = app
        self.notificationID = notificationID
        self.alert = alert
    }
}

extension SyncClient {
    /// The alerts that this device is to ring for, from now on: each post once, when it is this device's turn (rule
    /// N18). For clients with system scope; an app's client is told of none (rule Z1). What a new store finds in its
    /// first snapshot rang before. The app that was last reported in front (`reportActivity`) shows its own: of its
    /// alerts only critical and government ones are told. At most `outcomeLimit` wait for a reader; one more drops the oldest. Ends when the
    /// client is closed.
    public func rings() -> AsyncStream<DeviceRing> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceRing.self, bufferingPolicy: .bufferingNewest(Self.outcomeLimit))
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        lastOutcomeObserver += 1
        let id = lastOutcomeObserver
        ringObservers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forgetRingObserver(id) } }
        return stream
    }

    private func forgetRingObserver(_ id: Int) { ringObservers[id] = nil }

    func finishRings() {
        for observer in ringObservers.values { observer.finish() }
        ringObservers = [:]
    }

    /// Tells of the alerts for which it became this device's turn. The rows that the store had before say what rang
    /// already, so neither a new connection nor a snapshot rings anything twice.
    func publishRings(_ changes: [RowChange]) throws {
        guard !ringObservers.isEmpty else { return }
        let changed = Dictionary(changes.map { ($0.key, $0) }) { _, last in last }
        var seen: Set<RowKey> = []
        for change in changes {
            guard let key = AlertKeys(change.key, configuration.deviceClass), seen.insert(key.shared).inserted
            else { continue }
            let before = try alert(key) { key in try changed[key].map(\.before) ?? store.row(key)?.value }
            guard let after = try alert(key, { try store.row($0)?.value }), after.rings(on: owner.device),
                before.map({ $0.post != after.post || !$0.rings(on: owner.device) }) ?? true
            else { continue }
            // What was read meanwhile, on another device, is no news.
            let listed = RowKey(.notifications, app: key.app, key: key.shared.key)
            guard let row = try store.row(listed), let shown = try? NotificationRow(decoding: row.value), shown.unread,
                activity?.app != key.app || shown.level == .critical || shown.government
            else { continue }
            let ring = DeviceRing(app: key.app, notificationID: key.shared.key, alert: after)
            for observer in ringObservers.values { observer.yield(ring) }
        }
    }

    /// The row that counts for this device: that of its class, or that of all (rule N15).
    private func alert(_ key: AlertKeys, _ value: (RowKey) throws -> [UInt8]?) rethrows -> AlertRow? {
        let own = try key.own.flatMap { try value($0) }
        return try (own ?? value(key.shared)).flatMap { try? AlertRow(decoding: $0) }
    }
}

/// The rows that say whether a device of a class rings for a notification.
private struct AlertKeys {
    var app: AppID
    var shared: RowKey
    /// Nil for a phone.
    var own: RowKey?

    /// Nil when the key is none of these.
    init?(_ key: RowKey, _ deviceClass: DeviceClass) {
        guard let app = key.app else { return nil }
        let prefix = "\(deviceClass.rawValue)/"
        switch key.collection {
        case .alerts: self.shared = key
        case .classAlerts where key.key.hasPrefix(prefix):
            self.shared = RowKey(.alerts, app: app, key: String(key.key.dropFirst(prefix.count)))
        default: return nil
        }
        self.app = app
        own = deviceClass == .phone ? nil : RowKey(.classAlerts, app: app, key: prefix + shared.key)
    }
}
