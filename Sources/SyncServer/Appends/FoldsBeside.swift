import FocusCore

/// Which events a statement's users have folded beside the lane, so that nobody else waits for it.
struct FoldsBeside {
    /// Nothing is folded beside the lane.
    static let none = FoldsBeside(threshold: .max, limit: 0)

    /// See `LaneConfiguration.workBesideLane`.
    var threshold: Int
    /// How many events more may be on their way. Past it events are folded on the lane.
    var limit: Int
    /// Users who were loaded for a batch that is not made yet: the lane folds for them itself. They would be missing in
    /// batch after batch, and hold back the checkpoint.
    var kept: Set<UserID> = []

    /// The estimated work of an event that is to be folded beside the lane; nil: the lane folds it.
    /// - Parameter count: how many of the statement's events are folded there already.
    func work(of event: Event, _ user: CachedUser, when count: Int) -> Int? {
        guard count < limit, !kept.contains(user.id) else { return nil }
        let estimate = user.reading { $0.estimatedWork(of: event) }
        return estimate > threshold ? estimate : nil
    }
}
