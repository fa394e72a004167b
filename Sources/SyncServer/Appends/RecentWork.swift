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
    /// In so long everything has flowed back, however much it was.
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
            light.use(user.share.work, by: user.id, now: now, most: mostMilliseconds)
            quiet.use(user.share.work, by: user.id, now: now, most: mostMilliseconds)
        }
    }

    /// Whether any of the users asks for little, and has for a while: others make room for those only. Where all ask for
    /// about as much as a user may, each is past it now and then, and would else rest for those who rested a moment
    /// before.
    func asksForLittle(_ users: [StagedUser], now: MonotonicTime) -> Bool {
        users.contains { $0.isLight && quiet.rest(of: $0.id, now: now) > 0 }
    }
}
