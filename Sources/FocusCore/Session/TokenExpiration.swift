/// When a session's token ends, and whether its device was told (rule A2).
struct TokenExpiration: Hashable, Sendable {
    /// When the token ends, by the server's wall clock.
    let expiresAt: Timestamp
    let endsAt: MonotonicTime
    /// When the device must be told; nil once it was.
    private(set) var warnsAt: MonotonicTime?

    init(of identity: Identity, serverTime: Timestamp, now: MonotonicTime, warning milliseconds: Int64) {
        expiresAt = identity.expiresAt
        // The greatest value is far enough for any token, and near enough to be added to `now`.
        let (left, overflow) = expiresAt.microseconds.subtractingReportingOverflow(serverTime.microseconds)
        let remaining = overflow ? Int64.max / 1_000 : left / 1_000
        endsAt = now.adding(milliseconds: max(0, min(remaining, Int64.max / 1_000)))
        warnsAt = endsAt.adding(milliseconds: -milliseconds)
    }

    /// When the next step is due: the warning, or the end.
    var deadline: MonotonicTime { warnsAt.map { min($0, endsAt) } ?? endsAt }

    func isOver(now: MonotonicTime) -> Bool { now >= endsAt }

    /// The warning, when it is due and was not given yet.
    mutating func warning(serverTime: Timestamp, now: MonotonicTime) -> [SessionAction] {
        guard let due = warnsAt, now >= due else { return [] }
        return [tell(serverTime: serverTime, now: now)]
    }

    /// Says when the token ends; when that is soon, it is the warning too.
    mutating func tell(serverTime: Timestamp, now: MonotonicTime) -> SessionAction {
        if let due = warnsAt, now >= due { warnsAt = nil }
        return .send(.tokenExpiry(expiresAt, serverTime: serverTime))
    }
}
