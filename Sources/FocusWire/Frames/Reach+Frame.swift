import FocusCore

extension ReachQuestion {
    /// Nil when it names a level that this program does not know (rule W3).
    init?(_ message: Focus_Sync_V1_ReachQuestion) throws(FrameError) {
        let user = try UserID(wire: message.user, field: "reach.user")
        guard let app = AppID(message.app) else { throw .malformed("reach.app is no bundle identifier.") }
        let named = Int32(exactly: message.level.rawValue).flatMap(InterruptionLevel.init)
        guard let level = message.level == .unspecified ? .active : named else { return nil }
        self.init(user: user, app: app, level: level, isCommunication: message.communication)
    }

    var message: Focus_Sync_V1_ReachQuestion {
        var message = Focus_Sync_V1_ReachQuestion()
        message.user = user.wire
        message.app = app.rawValue
        if level != .active { message.level = Focus_Events_V1_NotificationPosted.Level(level) }
        message.communication = isCommunication
        return message
    }
}

extension Focus_Events_V1_NotificationPosted.Level {
    fileprivate init(_ level: InterruptionLevel) {
        switch level {
        case .passive: self = .passive
        case .active: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }
}

extension Reach {
    /// An outcome of a later kind, or one without the time that belongs to it, promises nothing.
    init(_ message: Focus_Sync_V1_Reach) {
        let time = message.hasAtUs ? Timestamp(microseconds: message.atUs) : nil
        switch message.outcome {
        case .ringsNow: self = .ringsNow
        case .waits: self = .waits(atMost: time)
        case .nextSummary: self = time.map(Reach.nextSummary) ?? .untold
        case .unspecified, .UNRECOGNIZED: self = .untold
        }
    }

    var message: Focus_Sync_V1_Reach {
        var message = Focus_Sync_V1_Reach()
        if let time { message.atUs = time.microseconds }
        switch self {
        case .ringsNow: message.outcome = .ringsNow
        case .waits: message.outcome = .waits
        case .nextSummary: message.outcome = .nextSummary
        }
        return message
    }
}
