import FocusCore

/// An event that the server is to append because its time has come (rules T1, T3, T4).
public struct DueEvent: Hashable, Sendable {
    /// When it was due: the event's `occurredAt`.
    public var at: Timestamp
    public var body: EventBody
}

extension UserState {
    /// The next moment at which something may be due for this user; nil: nothing will be before their next event.
    ///
    /// It is a function of the rows alone, so the read model keeps it beside them (`users.due_at`), and a scheduler
    /// finds the user there without having them in memory. Something is due at `now` exactly when this is not later
    /// than `now`.
    public var dueAt: Timestamp? {
        let summary = dueSummary { clock, after in clock.first(after: after) }
        return [dueExpiration?.at, summary?.at, dueRings()].compactMap(\.self).min()
    }

    /// What is to be appended first, if anything is due at `now`; ask again once it is folded.
    ///
    /// Events come in the order in which they were due, as if the server had never been late. A Focus that ends at the
    /// moment of a summary ends before it: what it held goes with the summary, if there is one. Alerts
    /// ring elsewhere before anything that was due later, so that what that changes does not count for them.
    public func dueEvent(at now: Timestamp) -> DueEvent? {
        let expiration = dueExpiration.flatMap { due in
            due.at <= now ? DueEvent(at: due.at, body: .focusExpired(due.event)) : nil
        }
        // Only the latest of several missed summaries is delivered (rule T3).
        let summary = dueSummary { clock, after in clock.latest(upTo: now).flatMap { $0 > after ? $0 : nil } }
        var first = expiration ?? summary
        if let expiration, let summary, summary.at < expiration.at { first = summary }
        // At the same moment, what ends or comes then does so first.
        guard let dueAt = dueRings(upTo: now, before: first?.at) else { return first }
        return DueEvent(at: dueAt, body: .alertRingsElsewhere(AlertRingsElsewhere(dueAt: dueAt)))
    }

    /// Whether summaries fall due by UTC because the zone of the schedule is unknown.
    public var dueZoneIsUnknown: Bool {
        guard let schedule = summarySchedule, schedule.dueAfter != nil else { return false }
        return !SummaryClock(schedule).isZoneKnown
    }

    private func dueSummary(_ instant: (SummaryClock, Timestamp) -> Timestamp?) -> DueEvent? {
        guard let schedule = summarySchedule, let after = schedule.dueAfter,
            let at = instant(SummaryClock(schedule), after)
        else { return nil }
        return DueEvent(at: at, body: .summaryDelivered(schedule.delivery(dueAt: at)))
    }
}
