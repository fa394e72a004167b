/// What a device may use in a day and in a minute, as Welcome names it (rule Q5). 0: the server does not say.
public struct Quotas: Hashable, Sendable {
    public var eventsPerDay: UInt64 = 0
    /// Bytes of payloads.
    public var bytesPerDay: UInt64 = 0
    public var fetchesPerMinute: UInt32 = 0
    public var resyncsPerMinute: UInt32 = 0
    /// Users in Watch, over all of them.
    public var watchedUsersPerMinute: UInt32 = 0
    public var sessionsPerMinute: UInt32 = 0

    public init(
        eventsPerDay: UInt64 = 0, bytesPerDay: UInt64 = 0, fetchesPerMinute: UInt32 = 0, resyncsPerMinute: UInt32 = 0,
        watchedUsersPerMinute: UInt32 = 0, sessionsPerMinute: UInt32 = 0
    ) {
        (self.eventsPerDay, self.bytesPerDay) = (eventsPerDay, bytesPerDay)
        (self.fetchesPerMinute, self.resyncsPerMinute) = (fetchesPerMinute, resyncsPerMinute)
        (self.watchedUsersPerMinute, self.sessionsPerMinute) = (watchedUsersPerMinute, sessionsPerMinute)
    }
}
