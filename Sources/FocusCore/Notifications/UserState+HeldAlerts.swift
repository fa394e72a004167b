/// What is decided again for the alerts of all apps.
extension UserState {
    /// The slots of all apps in the order of the apps' ids. What apps share, such as room for alerts that ring first on
    /// the device in use (rule N18), goes to the first of them. The order of the slots is another one once the state was
    /// loaded.
    var slotsByID: [Int] { apps.indices.sorted { apps[$0].app < apps[$1].app } }

    /// Decides the held alerts of all apps again, because what held them may have changed (rule N10).
    mutating func decideHeldAgain() throws(FoldError) {
        for slot in slotsByID where !apps[slot].list.held.isEmpty { try apps[slot].decideHeldAgain(&shared) }
    }
}
