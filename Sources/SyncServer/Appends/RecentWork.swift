import FocusCore

/// What was done lately for each of a lane's users, so that it knows who asks for little (rule Q1): it counts over
/// statements, and so nobody asks for much a little at a time.
///
/// A class, because statements ask it while it lives on: a table that they share would be copied when it changes.
final class RecentWork {
    private var done: AllowanceTable<UserID>
    private let mostMilliseconds: Int64

    init(_ configuration: LaneConfiguration) {
        done = AllowanceTable(
            Allowance(configuration.lightWork, milliseconds: configuration.lightWorkMilliseconds))
        mostMilliseconds = configuration.lightMilliseconds
    }

    /// How much more may be done for the user now, in units of `Work`, until they ask for much.
    func rest(of user: UserID, now: MonotonicTime) -> Int { done.rest(of: user, now: now) }

    /// Counts what was done for users. Whoever asks for nothing more asks for little again after some
    /// `lightMilliseconds`, however much it was.
    func use(_ users: [StagedUser], now: MonotonicTime) {
        for user in users where done.wait(for: .max, of: user.id, now: now) ?? 0 < mostMilliseconds {
            done.use(user.share.work, by: user.id, now: now)
        }
    }
}
