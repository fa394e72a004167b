import FocusCore

/// What was done lately for each of a lane's users, so that it knows who asks for little (rule Q1): it counts over
/// statements, and so nobody asks for much a little at a time.
///
/// A class, because statements ask it while it lives on: a table that they share would be copied when it changes.
final class RecentWork {
    /// What is done for a user until they ask for much.
    private var light: AllowanceTable<UserID>
    /// What is done for a user as long as others make room for them.
    private var quiet: AllowanceTable<UserID>
    /// How long it takes at most until everything has flowed back, however much it was.
    private let mostMilliseconds: Int64

    init(_ configuration: LaneConfiguration) {
        light = AllowanceTable(
            Allowance(configuration.lightWork, milliseconds: configuration.lightWorkMilliseconds))
        quiet = AllowanceTable(
            Allowance(configuration.quietWork, milliseconds: configuration.quietWorkMilliseconds))
        mostMilliseconds = configuration.lightMilliseconds
    }

    /// How much more may be done for the user now, in units of `Work`, until they ask for much.
    func rest(of user: UserID, now: MonotonicTime) -> Int { light.rest(of: user, now: now) }

    /// Counts what was done for users. Whoever asks for nothing more asks for little again after `lightMilliseconds` at
    /// most.
    func use(_ users: [StagedUser], now: MonotonicTime) {
        for user in users {
            light.use(user.work, by: user.id, now: now, most: mostMilliseconds)
            quiet.use(user.work, by: user.id, now: now, most: mostMilliseconds)
        }
    }

    /// Whether the user has asked for little for a while, a burst now and then included: bulk makes room for such users
    /// only. Many who all send event after event are past `lightWork` now and then, each at other moments, and nobody of
    /// them is quiet.
    func isQuiet(_ user: UserID, now: MonotonicTime) -> Bool { quiet.rest(of: user, now: now) > 0 }
}
