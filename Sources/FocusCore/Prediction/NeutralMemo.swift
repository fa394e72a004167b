/// What the fold would remember beside a row if it had been written long ago: enough to fold on, for a device that
/// was sent the row alone.
enum NeutralMemo {
    private static let stamp = Stamp.beforeAll

    /// - Parameter device: the one that predicts.
    static func bytes(_ key: RowKey, _ value: [UInt8], _ device: DeviceID) throws(ProtoError) -> [UInt8] {
        switch key.collection {
        case .apps: try apps(key, value)
        case .focuses:
            FocusEntry(configuration: Register(try FocusRow(decoding: value), stamp)).memo
        case .activeFocus: try activeFocus(value)
        case .notifications: try notification(value, device)
        case .notificationSettings: try settings(value)
        case .deliverySchedule:
            SummaryTable(schedule: Register(try DeliveryScheduleRow(decoding: value), stamp)).memo
        // Whoever gave the value, one that is set now replaces it.
        case .authorizations, .audience, .categories, .workouts, .preferences: stamp.memo
        case .focusVisibility, .badges, .alerts, .classAlerts, .actions, .waitingActions, .suggestions, .routes,
            .routeTotals,
            .refusals, .stream, .appStreams, .devices, .incarnations, .placePages, .interactions, .routePoints,
            .preferenceDefaults, .deviceActivity:
            []
        }
    }

    private static func apps(_ key: RowKey, _ value: [UInt8]) throws(ProtoError) -> [UInt8] {
        guard let app = key.app else { throw .unexpected }
        var record = AppRecord(app)
        record.registration = Register(try AppRow(decoding: value).registration, stamp)
        return record.memo
    }

    private static func activeFocus(_ value: [UInt8]) throws(ProtoError) -> [UInt8] {
        let row = try ActiveFocusRow(decoding: value)
        var table = FocusTable()
        table.activation = FocusActivation(focusID: row.focusID, stamp: stamp, endsAt: row.endsAt, hasEnded: false)
        return table.memo
    }

    /// The memo of a notification. The time of its post's stamp is the only one that a device sees. A post of this
    /// device at the same microsecond is this post itself, which changes nothing a second time.
    private static func notification(_ value: [UInt8], _ device: DeviceID) throws(ProtoError) -> [UInt8] {
        let row = try NotificationRow(decoding: value)
        let posted = Stamp(time: row.postedAt, device: device, sequence: DeviceSequence(.max))
        let post = NotificationPost(
            stamp: posted, level: row.level, isMarketing: row.marketing, isCommunication: row.interactionID != nil,
            isGovernmentAlert: row.government, isUntitled: false, sender: nil)
        return NotificationRecord(post: post, read: row.unread ? nil : posted, removed: nil).memo
    }

    private static func settings(_ value: [UInt8]) throws(ProtoError) -> [UInt8] {
        let row = try NotificationSettingsRow(decoding: value)
        var (table, mutes) = (SettingsTable(), MuteHistory())
        for deviceClass in DeviceClass.allCases where row.own[deviceClass] != OwnSettings() {
            _ = table.write(NotificationSettingsChanged(row.own[deviceClass], of: deviceClass), stamp)
        }
        if let until = row.mutedUntil { _ = mutes.write(until, stamp) }
        return SettingsMemo(table, mutes, silence: row.isSilenced ? Register(true, stamp) : nil).bytes
    }
}

extension NotificationSettingsChanged {
    /// The change that would have set these values for the class.
    fileprivate init(_ own: OwnSettings, of deviceClass: DeviceClass) {
        func choice(_ isOn: Bool?) -> SwitchChoice? { isOn.map { $0 ? .on : .off } }
        let previews: PreviewsChoice? =
            switch own.previews {
            case .always: .always
            case .whenUnlocked: .whenUnlocked
            case .never: .never
            case nil: nil
            }
        self.init(
            deviceClass: deviceClass, alerts: choice(own.alerts), badges: choice(own.badges),
            sounds: choice(own.sounds), previews: previews, timeSensitive: choice(own.timeSensitive),
            scheduledDelivery: choice(own.scheduledDelivery))
    }
}
