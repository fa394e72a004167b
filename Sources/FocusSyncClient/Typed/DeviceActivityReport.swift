import FocusCore

/// Whether the person uses this device (rules N18, L6): alerts ring first where they do, and not at all, for 30 s,
/// where their app is in front.
extension SyncClient {
    /// How often the same report is sent again at the most, in milliseconds. The server hears a device for 60 s.
    static let activityMilliseconds: Int64 = 20_000

    /// Reports that the person uses the device. Call it whenever they do something, and when another app comes to the
    /// front: what says nothing new is sent every 20 s at the most. Nothing of it is kept: without a connection it is
    /// lost, and the device counts as out of use.
    /// - Parameter app: the app in front; a client of an app reports that app alone, whatever is named.
    public func reportActivity(inFront app: AppID? = nil) {
        guard !isClosed else { return }
        let now = MonotonicTime.now
        if let last = activity, last.app == app, now - last.sentAt < Self.activityMilliseconds { return }
        activity = ReportedActivity(app: app, sentAt: now)
        send(.active(true, app: app))
    }

    /// Reports that the person does not use the device any more: its screen is off, or the app has left the front.
    public func endActivity() {
        guard activity != nil else { return }
        activity = nil
        send(.active(false, app: nil))
    }

    /// Reports again what still holds, on a new connection or once the session may report. If the person stopped while
    /// it might not report, it reports that.
    func reportActivityAgain() {
        let waited = activityWaits
        (activityIsUnknown, activityWaits) = (false, false)
        guard let last = activity else {
            if waited { send(.active(false, app: nil)) }
            return
        }
        guard MonotonicTime.now - last.sentAt < ActivityLimits.silenceMilliseconds else {
            activity = nil
            return
        }
        send(.active(true, app: last.app))
    }

    private func send(_ message: ClientMessage) {
        activityWaits = session?.mayReport == false
        guard session?.mayReport == true, !activityIsUnknown else { return }
        connection?.send(message)
    }
}

/// The last report of a device's use.
struct ReportedActivity {
    var app: AppID?
    var sentAt: MonotonicTime
}
