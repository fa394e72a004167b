import Testing

@testable import FocusCore

// Settings, mutes and summaries on the stage.
extension Stage {
    @discardableResult
    mutating func set(
        _ app: AppID? = .chat, on deviceClass: DeviceClass? = nil, alerts: SwitchChoice? = nil,
        badges: SwitchChoice? = nil, sounds: SwitchChoice? = nil, previews: PreviewsChoice? = nil,
        timeSensitive: SwitchChoice? = nil, scheduled: SwitchChoice? = nil, at second: Double,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = NotificationSettingsChanged(
            deviceClass: deviceClass, alerts: alerts, badges: badges, sounds: sounds, previews: previews,
            timeSensitive: timeSensitive, scheduledDelivery: scheduled)
        return send(.notificationSettingsChanged(body), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func schedule(
        _ times: Set<Int32>, zone: String = "Europe/Zurich", at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = DeliveryScheduleChanged(times: times, timeZone: zone)
        return send(.deliveryScheduleChanged(body), from: device, at: second)
    }

    @discardableResult
    mutating func mute(
        _ app: AppID = .chat, until end: Double, at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        send(.appMuted(AppMuted(until: .at(end))), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func unmute(_ app: AppID = .chat, at second: Double, from device: DeviceID = .phone) -> RefusalCode? {
        send(.appUnmuted, app: app, from: device, at: second)
    }

    func settings(_ app: AppID? = .chat) -> NotificationSettingsRow? {
        value(NotificationSettingsRow.self, RowKey(.notificationSettings, app: app))
    }

    /// The alert row of the class itself; nil if the phone's decision holds for it.
    func alert(_ id: String, _ app: AppID = .chat, on deviceClass: DeviceClass) -> AlertRow? {
        value(AlertRow.self, RowKey(.classAlerts, app: app, key: "\(deviceClass.rawValue)/\(id)"))
    }

    /// The decision that holds for devices of the class.
    func decision(_ id: String, _ app: AppID = .chat, on deviceClass: DeviceClass) -> AlertDecision? {
        (alert(id, app, on: deviceClass) ?? alert(id, app))?.decision
    }

    /// The summary that a scheduler would append now. In its zone minute n of a day is second n of 1,440 on the stage's
    /// clock; the fold knows no time zones, so any zone will do.
    var dueSummary: SummaryDelivered? {
        guard let schedule = state.summarySchedule, let after = schedule.dueAfter else { return nil }
        let second: Int64 = 1_000_000
        let elapsed = now.microseconds - Timestamp.at(0).microseconds
        let due = schedule.times.map { time -> Timestamp in
            let start = Int64(time) * second
            let days = ((elapsed - start) / (1_440 * second)) - (elapsed < start ? 1 : 0)
            return Timestamp.at(0).adding(microseconds: start + days * 1_440 * second)
        }.max()
        guard let due, due > after, due <= now else { return nil }
        return schedule.delivery(dueAt: due)
    }

    func refusal(of delivery: SummaryDelivered) -> Refusal? {
        state.validate(timer(.summaryDelivered(delivery), due: delivery.dueAt), scope: .system)
    }
}
