/// Alerts of several apps that are decided again by one event.
extension UserState {
    /// The slots of all apps, or of those that `isMeant` names, in the order of the apps' ids. What apps share, such as
    /// room for alerts that ring first on the device in use (rule N18), goes to the first of them, and the slots
    /// themselves are in another order after the state was loaded.
    func slotsByID(where isMeant: (Int) -> Bool = { _ in true }) -> [Int] {
        apps.indices.filter(isMeant).sorted { apps[$0].app < apps[$1].app }
    }

    /// Decides the held alerts of all apps again, because what held them may have changed (rule N10).
    mutating func decideHeldAgain() throws(FoldError) {
        for slot in slotsByID(where: { !apps[$0].list.held.isEmpty }) { try apps[slot].decideHeldAgain(&shared) }
    }
}
