/// Rule S6: what the log had lost and gets back never alerts again.
extension AppRecord {
    /// The decision of rule N9 about a post; `none` for an alert that belongs to the history that was lost.
    ///
    /// A healed post rang, or waited, in the history that was lost: it stays in the list without a sound. A healed
    /// event that releases alerts (N10) released those of earlier posts then, so they are silent too; a post that is
    /// later by its stamp came after the loss, was held only because this event was missing, and rings now. What is in
    /// front now says nothing of then.
    func decision(
        _ post: NotificationPost, on deviceClass: DeviceClass, isInFront: Bool = false, _ shared: borrowing SharedState
    ) -> AlertDecision {
        var inputs = alertInputs(post, on: deviceClass, shared)
        inputs.isInFront = isInFront && !shared.event.isHealed
        let decision = AlertDecision(inputs)
        guard shared.event.isHealed, post.stamp <= shared.event.stamp else { return decision }
        switch decision.alert {
        case .none: return decision
        case .now: return AlertDecision(.none, .healed)
        case .heldByFocus, .heldForSummary:
            return post.stamp == shared.event.stamp ? AlertDecision(.none, .healed) : decision
        }
    }
}
