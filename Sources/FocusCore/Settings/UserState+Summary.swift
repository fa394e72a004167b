extension UserState {
    /// What the scheduler of summaries needs; nil when the schedule has no times, so that no summary will come.
    public var summarySchedule: SummarySchedule? {
        guard let schedule = summary.schedule, !schedule.value.times.isEmpty else { return nil }
        return SummarySchedule(
            times: schedule.value.times, timeZone: schedule.value.timeZone, stamp: schedule.stamp,
            lastDelivered: summary.lastDelivered, waitingSince: summary.waitingSince)
    }

    /// Rule N16: a register. An alert that no schedule holds any more is released (N10).
    mutating func applyScheduleChanged(
        _ body: DeliveryScheduleChanged, _ context: inout FoldContext
    ) throws(FoldError) {
        let row = DeliveryScheduleRow(times: body.times, timeZone: body.times.isEmpty ? "" : body.timeZone)
        guard summary.schedule.write(row, context.stamp) else { return }
        let key = RowKey(.deliverySchedule)
        context.touch(key)
        if row.times.isEmpty {
            remove(key, &context)
        } else {
            put(key, row.encoded, &context)
        }
        for slot in apps.indices { try decideHeldAgain(slot, &context) }
    }

    /// Rules T3 and N10: what waits for the summary rings now, most relevant first, then newest.
    mutating func applySummaryDelivered(_ body: SummaryDelivered, _ context: inout FoldContext) throws(FoldError) {
        guard summary.schedule?.stamp == body.schedule else { return }
        summary.lastDelivered = max(summary.lastDelivered ?? body.dueAt, body.dueAt)
        context.touch(RowKey(.deliverySchedule))
        var rank: Int32 = 1
        for waiting in try waitingForSummary().sorted() {
            if try release(waiting.id, waiting.post, rank, waiting.slot, &context) { rank += 1 }
        }
    }

    /// Rule T3: a summary that is no longer due when it would be written is not written.
    func summaryRefusal(_ body: SummaryDelivered, _ event: Event) -> Refusal? {
        guard let schedule = summarySchedule, schedule.stamp == body.schedule, let after = schedule.dueAfter,
            after < body.dueAt, body.dueAt <= event.recordedAt
        else { return Refusal(.fieldInvalid, "no such summary is due") }
        return nil
    }

    /// Records since when alerts have been waiting for a summary. Called after every event.
    mutating func noteWaiting(_ context: inout FoldContext) {
        guard (waitingCount > 0) != (summary.waitingSince != nil) else { return }
        summary.waitingSince = waitingCount > 0 ? context.recordedAt : nil
        context.touch(RowKey(.deliverySchedule))
    }

    /// The alerts that wait for the summary, in no order.
    private func waitingForSummary() throws(FoldError) -> [WaitingAlert] {
        var waiting: [WaitingAlert] = []
        for slot in apps.indices {
            for id in apps[slot].list.waiting {
                guard let post = apps[slot].list[id].post else {
                    throw .brokenInvariant("an alert waits without a listed notification")
                }
                let row: NotificationRow = try value(of: RowKey(.notifications, app: apps[slot].app, key: id.text))
                waiting.append(
                    WaitingAlert(
                        relevance: row.relevance, post: post, app: apps[slot].app, id: id, slot: slot))
            }
        }
        return waiting
    }
}

/// An alert that waits for the summary, ordered as the summary is (rule N10).
private struct WaitingAlert: Comparable {
    var relevance: Double
    var post: NotificationPost
    var app: AppID
    var id: ByteText
    /// The app's slot; the order must not depend on it.
    var slot: Int

    static func < (a: Self, b: Self) -> Bool {
        // The order is total also for a NaN: the fold validates nothing.
        let (x, y) = (a.relevance.isNaN ? 0 : a.relevance, b.relevance.isNaN ? 0 : b.relevance)
        if x != y { return x > y }
        if a.post.stamp != b.post.stamp { return a.post.stamp > b.post.stamp }
        return (a.app, a.id) < (b.app, b.id)
    }
}
