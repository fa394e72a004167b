/// What one append statement does for a user, in units of `Work`.
struct WorkShare {
    private(set) var work = 0
    /// What it may do until the user asks for much (`WorkBounds.ofLightUser`).
    let lightWork: Int

    init(lightWork: Int) { self.lightWork = lightWork }

    /// - Returns: how much of it is past `lightWork`.
    mutating func add(_ done: Int) -> Int {
        defer { work += done }
        return max(lightWork, work + done) - max(lightWork, work)
    }
}
