import FocusCore

/// What was done lately for each of a lane's users, so that it knows who asks for little (rule Q1): it counts over
/// statements, and so nobody asks for much a little at a time.
///
/// A class, because statements ask it while it lives on: a table that they share would be copied when it changes.
final class RecentWork {
    private var done: AllowanceTable<UserID>
    /// Who asked for much lately. The allowance is one statement in `mostMilliseconds`, so nothing is left of it until
    /// then.
    private var much: AllowanceTable<UserID>
    private let mostMilliseconds: Int64

    init(_ configuration: LaneConfiguration) {
        done = AllowanceTable(
            Allowance(configuration.lightWork, milliseconds: configuration.lightWorkMilliseconds))
        mostMilliseconds = configuration.lightMilliseconds
        much = AllowanceTable(Allowance(1, milliseconds: mostMilliseconds))
    }

    /// How much more may be done for the user now, in units of `Work`, until they ask for much.
    func rest(of user: UserID, now: MonotonicTime) -> Int { done.rest(of: user, now: now) }

    /// Counts what was done for users. Whoever asks for nothing more asks for little again after some
    /// `lightMilliseconds`, however much it was.
    func use(_ users: [StagedUser], now: MonotonicTime) {
        for user in users where done.wait(for: .max, of: user.id, now: now) ?? 0 < mostMilliseconds {
            done.use(user.share.work, by: user.id, now: now)
        }
        for user in users where !user.isLight && much.wait(for: .max, of: user.id, now: now) ?? 0 < mostMilliseconds {
            much.use(1, by: user.id, now: now)
        }
    }

    /// Whether any of the users asks for little, and has not asked for much for `lightMilliseconds` to twice as long:
    /// others make room for those only. Where all ask for about as much as a user may, each is past it now and then, and
    /// would else rest for those who rested a moment before.
    func asksForLittle(_ users: [StagedUser], now: MonotonicTime) -> Bool {
        users.contains { $0.isLight && much.rest(of: $0.id, now: now) > 0 }
    }
}
