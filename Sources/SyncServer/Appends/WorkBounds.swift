import FocusCore

/// How much work of whom one append statement may carry, in units of `Work` (rule Q1).
struct WorkBounds {
    /// See `LaneConfiguration.workPerUser`.
    var ofUser = Int.max
    /// See `LaneConfiguration.workPerStatement`.
    var ofStatement = Int.max
    /// How much is done for a user until they ask for much, by what was done for them before; nil: nobody does.
    var ofLightUser: (UserID) -> Int = { _ in .max }
    /// Of all users together, what is done for each past that.
    var ofHeavyUsers = Int.max
    /// See `LaneConfiguration.workOfDearEvent`.
    var ofDearEvent = Int.max
}
