/// Rule L6: what a session reports of its device's use counts until it says otherwise, is silent, or ends.
extension Session {
    /// How often a session may report; what is past that is not heard. A client reports every 20 s, and what changes.
    private static let reports = Allowance.minute(60)

    mutating func receiveActive(
        _ isActive: Bool, _ app: AppID?, _ identity: Identity, now: MonotonicTime
    ) -> [SessionAction] {
        guard isActive else {
            guard activityEnds != nil else { return [] }
            activityEnds = nil
            return [.outOfUse]
        }
        guard activityReports.wait(for: 1, of: Self.reports, now: now) == nil else { return [] }
        activityReports.use(1, of: Self.reports, now: now)
        activityEnds = now.adding(milliseconds: ActivityLimits.silenceMilliseconds)
        // An app must not say of another that it is in front.
        return [.inUse(identity.scope.app ?? app)]
    }

    /// Ends what the device reported, if it has been silent about it for too long.
    mutating func endSilentActivity(now: MonotonicTime) -> [SessionAction] {
        guard let ends = activityEnds, now >= ends else { return [] }
        activityEnds = nil
        return [.outOfUse]
    }
}
