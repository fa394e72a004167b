extension UserState {
    /// What the scheduler of summaries needs; nil when the schedule has no times, so that no summary will come.
    public var summarySchedule: SummarySchedule? {
        guard let schedule = shared.summary.schedule, !schedule.value.times.isEmpty else { return nil }
        return SummarySchedule(
            times: schedule.value.times, timeZone: schedule.value.timeZone, stamp: schedule.stamp,
            lastDelivered: shared.summary.lastDelivered, waitingSince: shared.summary.waitingSince)
    }

    /// Rule N16: a register. An alert that no schedule holds any more is released (N10).
    mutating func applyScheduleChanged(_ body: DeliveryScheduleChanged) throws(FoldError) {
        let row = DeliveryScheduleRow(times: body.times, timeZone: body.times.isEmpty ? "" : body.timeZone)
        let former = shared.summary.schedule?.value ?? DeliveryScheduleRow(times: [], timeZone: "")
        guard shared.summary.schedule.write(row, shared.event.stamp) else { return }
        let key = RowKey(.deliverySchedule)
        shared.touch(key)
        if row.times.isEmpty {
            shared.remove(key)
        } else {
            shared.put(key, row.encoded)
        }
        if former != row { try decideHeldAgain() }
    }

    /// Rules T3 and N10: what waits for the summary rings now, most relevant first, then newest.
    mutating func applySummaryDelivered(_ body: SummaryDelivered) throws(FoldError) {
        guard shared.summary.schedule?.stamp == body.schedule else { return }
        shared.summary.lastDelivered = max(shared.summary.lastDelivered ?? body.dueAt, body.dueAt)
        shared.touch(RowKey(.deliverySchedule))
        shared.count(shared.waitingCount * FoldWork.row)
        var rank: Int32 = 1
        for waiting in try waitingForSummary().sorted() {
            let rings = try apps[waiting.slot].releaseAlert(of: waiting.id, waiting.post, rank: rank, &shared)
            if rings { rank += 1 }
        }
    }

    /// Rule T3: a summary that is no longer due when it would be written is not written.
    func summaryRefusal(_ body: SummaryDelivered, _ event: Event) -> Refusal? {
        guard let schedule = summarySchedule, schedule.stamp == body.schedule, let after = schedule.dueAfter,
            after < body.dueAt, body.dueAt <= event.recordedAt
        else { return Refusal(.fieldInvalid, "no such summary is due") }
        return nil
    }

    /// The alerts of all apps that wait for the summary, in no order.
    private func waitingForSummary() throws(FoldError) -> [WaitingAlert] {
        var waiting: [WaitingAlert] = []
        for slot in apps.indices {
            let app = apps[slot].app
            for id in apps[slot].list.waiting {
                guard let post = apps[slot].list[id].post else {
                    throw .brokenInvariant("an alert waits without a listed notification")
                }
                let row: NotificationRow = try shared.value(of: RowKey(.notifications, app: app, key: id.text))
                waiting.append(WaitingAlert(relevance: row.relevance, post: post, app: app, id: id, slot: slot))
            }
        }
        return waiting
    }
}

extension SharedState {
    /// Records since when alerts have been waiting for a summary. Called after every event.
    mutating func recordWaiting() {
        guard (waitingCount > 0) != (summary.waitingSince != nil) else { return }
        summary.waitingSince = waitingCount > 0 ? event.recordedAt : nil
        touch(RowKey(.deliverySchedule))
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
