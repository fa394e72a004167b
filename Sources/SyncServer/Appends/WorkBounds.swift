/// How much work of whom one append statement may carry, in units of `Work` (rule Q1).
struct WorkBounds {
    /// See `LaneConfiguration.workPerUser`.
    var ofUser = Int.max
    /// See `LaneConfiguration.workPerStatement`.
    var ofStatement = Int.max
    /// See `LaneConfiguration.lightWork`.
    var ofLightUser = Int.max
    /// Of all users together, what is done for each past `ofLightUser`.
    var ofHeavyUsers = Int.max
}
