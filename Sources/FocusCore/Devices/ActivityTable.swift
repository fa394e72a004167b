/// Which of a user's devices are in use, as far as it was logged (rule N18). It is the memo of the row in
/// `device_activity`.
struct ActivityTable: Hashable, Sendable {
    /// What a session reported, until it ends or runs out.
    struct Entry: Hashable, Sendable {
        var activity: DeviceActivity
        /// When it was logged.
        var reportedAt: Timestamp

        /// Until when it counts, this moment included, if nothing more is logged.
        var endsAt: Timestamp { reportedAt.adding(microseconds: ActivityLimits.lastsMicroseconds) }

        func isOf(_ device: DeviceID, _ scope: Scope) -> Bool { activity.device == device && activity.scope == scope }
    }

    /// One for each device and scope, in the order of the log; at most `ActivityLimits.sessionsPerUser`.
    private(set) var entries: [Entry] = []

    /// The device in use: the one of which a system session reported last. Nil when none counts.
    ///
    /// What an app reports of itself makes no device the one that rings first: an app's session is told of no alert.
    func inUse(at time: Timestamp) -> DeviceActivity? {
        entries.last { time <= $0.endsAt && $0.activity.scope == .system }?.activity
    }

    /// Whether the app is in front on the device in use. The device's system session says so; what the app says of
    /// itself counts where that session names no app, or where no device has such a session.
    func isInFront(_ app: AppID, at time: Timestamp) -> Bool {
        guard let inUse = inUse(at: time) else {
            return entries.last { time <= $0.endsAt }?.activity.app == app
        }
        if let named = inUse.app { return named == app }
        return entries.contains { time <= $0.endsAt && $0.isOf(inUse.device, .app(app)) && $0.activity.app == app }
    }

    subscript(device: DeviceID, scope: Scope) -> Entry? { entries.first { $0.isOf(device, scope) } }

    mutating func report(_ activity: DeviceActivity, at time: Timestamp) {
        entries.removeAll { $0.isOf(activity.device, activity.scope) }
        entries.append(Entry(activity: activity, reportedAt: time))
        guard entries.count > ActivityLimits.sessionsPerUser else { return }
        // However many apps report themselves, they push no system session out while there are others.
        entries.remove(at: entries.firstIndex { $0.activity.scope != .system } ?? entries.startIndex)
    }

    /// - Returns: whether there was such a report. One of the system speaks for all apps of its device.
    mutating func end(_ body: DeviceActivityEnded) -> Bool {
        guard self[body.device, body.scope]?.reportedAt == body.reportedAt else { return false }
        entries.removeAll {
            $0.activity.device == body.device && (body.scope == .system || $0.activity.scope == body.scope)
        }
        return true
    }

    /// - Returns: whether anything was removed.
    mutating func remove(_ device: DeviceID) -> Bool {
        let count = entries.count
        entries.removeAll { $0.activity.device == device }
        return entries.count < count
    }
}

/// The numbers of rules N18, L6 and T4.
public enum ActivityLimits {
    /// Reports of a user that count at the same time.
    public static let sessionsPerUser = 32
    /// How long a logged report counts if the server that hears the device logs no more, because it is gone.
    static let lastsMicroseconds: Int64 = 180_000_000
    /// A report is logged again when the one before would count for less than this: a client reports every 20 s.
    static let renewalMicroseconds: Int64 = 45_000_000
    /// A device takes over from another that is in use too no sooner than this after its last logged report.
    static let takeoverMicroseconds: Int64 = 60_000_000
    /// How long a session may be silent, in milliseconds, until its device is out of use.
    public static let silenceMilliseconds: Int64 = 60_000
    /// After how long an unread alert rings elsewhere.
    static let ringsElsewhereMicroseconds: Int64 = 30_000_000
    /// An alert that is to ring elsewhere later than this after its time does not.
    static let latestMicroseconds: Int64 = 300_000_000
    /// Alerts of a user that are to ring elsewhere at the same time; more ring everywhere at once.
    public static let pendingRings = 256
}

extension ActivityTable {
    var memo: [UInt8] {
        var writer = ProtoWriter()
        for entry in entries {
            writer.message(1) { inner in
                inner.presentData(1, entry.activity.device.bytes)
                inner.string(2, entry.activity.scope.text)
                inner.int(3, Int64(entry.activity.deviceClass.number))
                inner.optionalString(4, entry.activity.app?.rawValue)
                inner.int(5, entry.reportedAt.microseconds)
            }
        }
        return writer.bytes
    }

    init(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            if field == 1 { entries.append(try Entry(reading: ProtoReader(try value.bytes()))) }
        }
    }
}

extension ActivityTable.Entry {
    fileprivate init(reading bytes: consuming ProtoReader) throws(ProtoError) {
        var reader = bytes
        var (device, scope, deviceClass): (DeviceID?, Scope?, DeviceClass?)
        var app: AppID?
        var reportedAt = Timestamp(microseconds: 0)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: device = try value.uuid(DeviceID.self)
            case 2: scope = Scope(text: try value.string())
            case 3: deviceClass = DeviceClass(number: try value.int())
            case 4:
                guard let known = AppID(try value.string()) else { throw .unexpected }
                app = known
            case 5: reportedAt = try value.timestamp()
            default: break
            }
        }
        guard let device, let scope, let deviceClass else { throw .malformed }
        let activity = DeviceActivity(device: device, scope: scope, deviceClass: deviceClass, app: app)
        self.init(activity: activity, reportedAt: reportedAt)
    }
}
