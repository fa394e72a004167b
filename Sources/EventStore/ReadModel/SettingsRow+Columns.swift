import FocusCore
import PostgresClient

// The typed columns of each collection, in the order of `upsert_<collection>`, from its tenth parameter on.

extension NotificationSettingsRow {
    static func columns(_ rows: [NotificationSettingsRow?]) -> [PostgresValue] {
        [
            Columns.bool(rows) { $0.effective.phone.alerts }, Columns.bool(rows) { $0.effective.phone.badges },
            Columns.bool(rows) { $0.effective.phone.sounds }, Columns.name(rows) { $0.effective.phone.previews },
            Columns.bool(rows) { $0.effective.phone.timeSensitive },
            Columns.bool(rows) { $0.effective.phone.scheduledDelivery }, Columns.time(rows) { $0.mutedUntil },
            Columns.names(rows) { row in
                Set(DeviceClass.followers.filter { row.effective[$0] != row.effective.phone })
            },
        ]
    }
}

extension DeliveryScheduleRow {
    static func columns(_ rows: [DeliveryScheduleRow?]) -> [PostgresValue] {
        [
            Columns.names(rows) { Set($0.times.map(TimeOfDay.init)) }, Columns.text(rows) { $0.timeZone },
        ]
    }
}

/// A time of day as PostgreSQL reads it.
private struct TimeOfDay: Hashable, CustomStringConvertible {
    /// Minutes after midnight, 0…1,439.
    var minutes: Int32

    init(_ minutes: Int32) { self.minutes = minutes }

    var description: String { "\(Self.twoDigits(minutes / 60)):\(Self.twoDigits(minutes % 60))" }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
