import FocusCore

extension UserState {
    /// Whether a message would reach the user (rule F6), with the time zone of their summaries.
    /// - Parameter now: the server's time.
    public func reach(_ question: ReachQuestion, from viewer: Viewer, at now: Timestamp) -> Reach {
        reach(question, from: viewer, at: now) { schedule, time in SummaryClock(schedule).first(after: time) }
    }
}
