import FocusCore
import PostgresClient

// The typed columns of each collection, in the order of `upsert_<collection>`, from its tenth parameter on.

extension AppRow {
    static func columns(_ rows: [AppRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.registration.name }, Columns.integer(rows) { $0.registration.build },
            Columns.names(rows) { $0.registration.capabilities },
            Columns.names(rows) { $0.registration.declaredIntents },
            Columns.bool(rows) { !($0.registration.focusStatusUsageDescription ?? "").isEmpty },
        ]
    }
}

extension AuthorizationRow {
    static func columns(_ rows: [AuthorizationRow?]) -> [PostgresValue] {
        [Columns.text(rows) { $0.kind.name }, Columns.name(rows) { $0.status }]
    }
}

extension FocusRow {
    static func columns(_ rows: [FocusRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.name }, Columns.text(rows) { $0.symbol },
            Columns.bool(rows) { $0.allowsTimeSensitive }, Columns.bool(rows) { $0.sharesStatus },
        ]
    }
}

extension ActiveFocusRow {
    static func columns(_ rows: [ActiveFocusRow?]) -> [PostgresValue] {
        [Columns.text(rows) { $0.focusID }, Columns.time(rows) { $0.endsAt }]
    }
}

extension FocusVisibilityRow {
    static func columns(_ rows: [FocusVisibilityRow?]) -> [PostgresValue] { [Columns.bool(rows) { $0.isFocused }] }
}

extension AudienceRow {
    static func columns(_ rows: [AudienceRow?]) -> [PostgresValue] { [Columns.text(rows) { $0.user.description }] }
}

extension NotificationRow {
    static func columns(_ rows: [NotificationRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.title }, Columns.text(rows) { $0.subtitle }, Columns.text(rows) { $0.body },
            Columns.name(rows) { $0.level }, Columns.real(rows) { $0.relevance },
            Columns.bool(rows) { $0.marketing }, Columns.text(rows) { $0.category },
            Columns.text(rows) { $0.thread }, Columns.time(rows) { $0.postedAt }, Columns.bool(rows) { !$0.unread },
        ]
    }
}

extension AlertRow {
    static func columns(_ rows: [AlertRow?]) -> [PostgresValue] {
        [
            Columns.name(rows) { $0.decision.alert }, Columns.name(rows) { $0.decision.reason },
            Columns.bool(rows) { $0.decision.overridesSilentSwitch },
            Columns.bool(rows) { $0.introducesTimeSensitive }, Columns.integer(rows) { $0.summaryRank.map(Int64.init) },
            Columns.text(rows) { $0.firstDevice?.description }, Columns.time(rows) { $0.othersAt },
            Columns.bool(rows) { $0.othersRing },
        ]
    }

    /// The columns of `class_alerts`.
    static func classColumns(_ rows: [AlertRow?]) -> [PostgresValue] {
        columns(rows) + [Columns.text(rows) { $0.deviceClass?.rawValue }]
    }
}

extension BadgeRow {
    static func columns(_ rows: [BadgeRow?]) -> [PostgresValue] {
        [
            Columns.integer(rows) { $0.count.map(Int64.init) },
            Columns.names(rows) { row in Set(DeviceClass.allCases.filter { row.count(on: $0) != nil }) },
        ]
    }
}

extension CategoriesRow {
    static func columns(_ rows: [CategoriesRow?]) -> [PostgresValue] {
        [Columns.integer(rows) { Int64($0.categories.count) }]
    }
}

extension ActionRow {
    static func columns(_ rows: [ActionRow?]) -> [PostgresValue] {
        [Columns.text(rows) { $0.action }, Columns.bool(rows) { $0.doubleTap }, Columns.time(rows) { $0.performedAt }]
    }
}

extension WaitingActionRow {
    static func columns(_ rows: [WaitingActionRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.notificationID }, Columns.text(rows) { $0.action },
            Columns.bool(rows) { $0.doubleTap }, Columns.time(rows) { $0.performedAt },
        ]
    }
}

extension SuggestionRow {
    static func columns(_ rows: [SuggestionRow?]) -> [PostgresValue] {
        [
            Columns.integer(rows) { Int64($0.outgoing) }, Columns.integer(rows) { Int64($0.incoming) },
            Columns.time(rows) { $0.lastAt }, Columns.real(rows) { $0.score },
        ]
    }
}

extension WorkoutRow {
    static func columns(_ rows: [WorkoutRow?]) -> [PostgresValue] {
        [Columns.text(rows) { $0.activity }, Columns.time(rows) { $0.start }, Columns.time(rows) { $0.end }]
    }
}

extension PreferenceRow {
    static func columns(_ rows: [PreferenceRow?]) -> [PostgresValue] {
        [Columns.text(rows) { $0.value.kind }, Columns.text(rows) { $0.value.json }]
    }
}

extension RefusalRow {
    static func columns(_ rows: [RefusalRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.event.description }, Columns.text(rows) { $0.type }, Columns.text(rows) { $0.code },
            Columns.text(rows) { $0.message }, Columns.time(rows) { $0.occurredAt },
        ]
    }
}

extension RouteRow {
    static func columns(_ rows: [RouteRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.activity },
            // Never NULL: a load asks whether a route can still grow.
            .boolArray(rows.map { $0?.state == .finished }),
            Columns.text(rows) { $0.workoutID }, Columns.text(rows) { $0.startedBy.description },
            Columns.integer(rows) { Int64($0.aggregates.counts.accepted) },
            Columns.integer(rows) { Int64($0.aggregates.counts.duplicate) },
            Columns.integer(rows) { Int64($0.aggregates.counts.dropped) },
            Columns.time(rows) { $0.aggregates.start }, Columns.time(rows) { $0.aggregates.end },
            Columns.real(rows) { Double($0.aggregates.durationMicroseconds) / 1e6 },
            Columns.real(rows) { Double($0.aggregates.movingMicroseconds) / 1e6 },
            Columns.real(rows) { $0.aggregates.distance }, Columns.real(rows) { $0.aggregates.elevationGain },
            Columns.real(rows) { $0.aggregates.elevationLoss },
            Columns.real(rows) { $0.aggregates.altitude?.lowerBound },
            Columns.real(rows) { $0.aggregates.altitude?.upperBound },
            Columns.real(rows) { $0.aggregates.averageSpeed }, Columns.real(rows) { $0.aggregates.movingAverageSpeed },
            Columns.real(rows) { $0.aggregates.maximumSpeed }, Columns.real(rows) { $0.fastestSeconds(1_000) },
            Columns.real(rows) { $0.fastestSeconds(5_000) }, Columns.real(rows) { $0.fastestSeconds(10_000) },
        ]
    }

    private func fastestSeconds(_ length: Int64) -> Double? {
        fastest.first { $0.metres == length }.map { Double($0.durationMicroseconds) / 1e6 }
    }
}

extension RouteTotalRow {
    static func columns(_ rows: [RouteTotalRow?]) -> [PostgresValue] {
        [
            Columns.text(rows) { $0.activity }, Columns.name(rows) { $0.period },
            Columns.text(rows) { $0.startsOn?.storable }, Columns.integer(rows) { $0.routes },
            Columns.real(rows) { Double($0.distanceMillimetres) / 1e3 },
            Columns.real(rows) { Double($0.movingMicroseconds) / 1e6 },
            Columns.real(rows) { Double($0.elevationGainMillimetres) / 1e3 },
            Columns.real(rows) { $0.longest.map { Double($0.distanceMillimetres) / 1e3 } },
            Columns.text(rows) { $0.longest?.routeID }, Columns.real(rows) { $0.fastestSeconds(1_000) },
            Columns.real(rows) { $0.fastestSeconds(5_000) }, Columns.real(rows) { $0.fastestSeconds(10_000) },
        ]
    }

    private func fastestSeconds(_ length: Int64) -> Double? {
        fastest.first { $0.distanceMillimetres == length * 1_000 }.map { Double($0.durationMicroseconds) / 1e6 }
    }
}

extension CivilDate {
    /// The date as PostgreSQL reads it; nil outside the years 1 to 9999, which a device's clock can report all the
    /// same.
    fileprivate var storable: String? { (1...9_999).contains(parts.year) ? description : nil }
}
