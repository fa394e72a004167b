/// Rule N18: which device is in use. The fold knows what was logged of that; what is worth being logged is decided here
/// too, so that every server decides alike.
extension UserState {
    /// The device in use, as a system session reported it last; nil when none is.
    public func deviceInUse(at time: Timestamp) -> DeviceActivity? { shared.activity.inUse(at: time) }

    /// When the last report of the scope's sessions on the device was logged; nil when it has ended, or there is none.
    public func lastActivity(of device: DeviceID, _ scope: Scope) -> Timestamp? {
        shared.activity[device, scope]?.reportedAt
    }

    /// Whether a report says something that the log does not say already (rule L6).
    public func isNews(_ activity: DeviceActivity, at now: Timestamp) -> Bool {
        guard let entry = shared.activity[activity.device, activity.scope], entry.activity == activity,
            now.adding(microseconds: ActivityLimits.renewalMicroseconds) <= entry.endsAt
        else { return true }
        guard activity.scope == .system, deviceInUse(at: now)?.device != activity.device else { return false }
        return now >= entry.reportedAt.adding(microseconds: ActivityLimits.takeoverMicroseconds)
    }

    /// The app, if it may alert somebody; what else is in front is nobody's business.
    public func alerting(_ app: AppID) -> AppID? {
        guard let slot = appSlots[app], apps[slot].isRegistered, apps[slot].status(.notifications) == .authorized
        else { return nil }
        return app
    }

    mutating func applyActivity(_ body: DeviceActivity) {
        // The log's time alone counts here.
        shared.activity.report(body, at: shared.event.recordedAt)
        shared.touch(RowKey(.deviceActivity))
    }

    mutating func applyActivityEnded(_ body: DeviceActivityEnded) {
        if shared.activity.end(body) { shared.touch(RowKey(.deviceActivity)) }
    }

    func activityRefusal(_ body: DeviceActivity) -> Refusal? {
        isRevoked(body.device) ? Refusal(.forbidden, "the device was revoked") : nil
    }

    /// Rule T5: a report that was replaced, or has ended, does not end.
    func activityEndRefusal(_ body: DeviceActivityEnded) -> Refusal? {
        guard lastActivity(of: body.device, body.scope) != body.reportedAt else { return nil }
        return Refusal(.fieldInvalid, "no such report counts")
    }
}
