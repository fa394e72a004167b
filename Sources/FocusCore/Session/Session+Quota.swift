/// What a device asks for, as far as it has a quota (rule Q5).
public enum QuotaRequest: Hashable, Sendable, CaseIterable {
    case session
    case fetch
    case resync
    /// Counted by users.
    case watch
}

/// Takes so many of these from a device's quota.
///
/// Returns how many milliseconds later there will be enough, when there are not; then nothing is taken.
public typealias RequestQuota = (QuotaRequest, Int) -> Int64?

extension SessionLimits {
    /// What a device may ask of it.
    public func allowance(of request: QuotaRequest) -> Allowance {
        switch request {
        case .session: .minute(sessionsPerMinute)
        case .fetch: .minute(fetchesPerMinute)
        case .resync: .minute(resyncsPerMinute)
        case .watch: .minute(watchedUsersPerMinute)
        }
    }

    /// The quotas that Welcome names.
    var quotas: Quotas {
        Quotas(
            eventsPerDay: UInt64(eventsPerDay), bytesPerDay: UInt64(bytesPerDay),
            fetchesPerMinute: UInt32(fetchesPerMinute), resyncsPerMinute: UInt32(resyncsPerMinute),
            watchedUsersPerMinute: UInt32(watchedUsersPerMinute), sessionsPerMinute: UInt32(sessionsPerMinute))
    }
}

extension Session {
    /// Rule Q5. A device that is told nothing of the collections that it asked for would wait for them, so past the
    /// quota the session ends.
    mutating func receiveResync(_ collections: [RowCollection], _ take: RequestQuota) -> [SessionAction] {
        guard let wait = take(.resync, 1) else { return [.resync(collections)] }
        return fail(.quotaExceeded("A device asks for \(limits.resyncsPerMinute) Resyncs a minute.", wait: wait))
    }

    /// Rule A2. To check a token takes as long as to let a device in, so it counts as that (rule Q5).
    mutating func receiveRenew(_ token: String, _ take: RequestQuota) -> [SessionAction] {
        if let wait = take(.session, 1) { return fail(tooManySessions(wait: wait)) }
        isRenewing = true
        return [.renew(token: token)]
    }

    func tooManySessions(wait: Int64) -> ProtocolError {
        .quotaExceeded("A device begins or renews \(limits.sessionsPerMinute) sessions a minute.", wait: wait)
    }
}

extension ProtocolError {
    /// - Parameters:
    ///   - bound: what the device may have, for people.
    ///   - wait: after how many milliseconds it may ask again.
    static func quotaExceeded(_ bound: String, wait: Int64, request: UInt64? = nil) -> ProtocolError {
        ProtocolError(.quotaExceeded, bound, retryAfterMilliseconds: UInt32(clamping: wait), request: request)
    }
}
