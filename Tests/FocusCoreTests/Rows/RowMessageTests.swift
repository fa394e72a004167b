import Testing

@testable import FocusCore

@Suite("RowMessage") struct RowMessageTests {
    private func check<Value: RowMessage>(_ value: Value, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let decoded = try Value(decoding: value.encoded)
        #expect(decoded == value && decoded.encoded == value.encoded, sourceLocation: sourceLocation)
        // An older program can read a newer row.
        var newer = ProtoWriter()
        newer.presentString(1_000, "new")
        #expect(try Value(decoding: value.encoded + newer.bytes) == value, sourceLocation: sourceLocation)
    }

    @Test("S9: every row decodes to what was encoded, to the same bytes again")
    func roundTrips() throws {
        try check(AppRow(AppRegistered(name: "", build: 0)))
        try check(
            AppRow(
                AppRegistered(
                    name: "Ä", build: -7, declaredIntents: [.startCall, .sendMessage],
                    capabilities: Set(AppCapability.allCases),
                    focusStatusUsageDescription: "")))
        for kind in AuthorizationKind.allCases {
            for status in AuthorizationStatus.allCases { try check(AuthorizationRow(kind: kind, status: status)) }
        }
        try check(
            FocusRow(
                FocusConfigured(
                    focusID: "f", name: "Work", symbol: "", allowedApps: [.mail, .chat],
                    allowedPeople: ["b", "", "\u{E9}"],
                    allowsTimeSensitive: true, sharesStatus: false)))
        try check(ActiveFocusRow(focusID: "f", endsAt: nil))
        try check(ActiveFocusRow(focusID: "f", endsAt: Timestamp(microseconds: 0)))
        try check(ActiveFocusRow(focusID: "f", endsAt: Timestamp(microseconds: .min)))
        for isFocused in [nil, true, false] { try check(FocusVisibilityRow(isFocused: isFocused)) }
        for count in [nil, 0, 10_000] { try check(BadgeRow(count: count)) }
        try check(AudienceRow(user: .bob))
        try check(BadgeRow(count: nil, others: [.init(.tablet, count: 3), .init(.watch, count: nil)]))
        try check(DeliveryScheduleRow(times: [1_439, 0, 480], timeZone: "Europe/Zurich"))
        var settings = NotificationSettingsRow(effective: ByClass(repeating: NotificationSettings()))
        try check(settings)
        settings.effective.watch.alerts = false
        settings.effective.desktop.previews = .never
        settings.own.watch.alerts = false
        settings.own.desktop.previews = .never
        settings.mutedUntil = .at(0)
        try check(settings)
        settings.isSilenced = true
        try check(settings)
        for value in PropertyValueTests.samples { try check(PreferenceRow(value: value)) }
        try check(
            WorkoutRow(activity: "running", start: Timestamp(microseconds: -1), end: Timestamp(microseconds: .max)))
        try check(CategoriesRow([]))
        let action = NotificationAction(
            id: "a", title: "A", icon: "", destructive: true, opensApp: true, textInput: true, needsUnlock: true)
        try check(
            CategoriesRow([
                NotificationCategory(id: "", hiddenPreviewsPlaceholder: "", actions: [action]),
                NotificationCategory(id: "c", actions: [NotificationAction(id: "", title: "")]),
            ]))
        for text in [nil, "", "At six"] {
            try check(
                WaitingActionRow(
                    number: 1, notificationID: "n", action: text, doubleTap: true, text: text, performedAt: .at(1),
                    device: .watch))
        }
        for doubleTap in [false, true] { try check(ActionRow(action: "a", doubleTap: doubleTap, performedAt: .at(1))) }
        try check(SuggestionRow(outgoing: 1, incoming: 0, lastAt: Timestamp(microseconds: .min), score: 0.1))
        for period in RoutePeriod.allCases {
            let day = CivilDate(daysSince1970: -800_000)
            var total = RouteTotalRow(activity: "", period: period, startsOn: period.start(of: day))
            try check(total)
            total.routes = 3
            total.distanceMillimetres = .max
            total.longest = RouteBest(
                app: .chat, routeID: "", start: Timestamp(microseconds: .min), distanceMillimetres: 0,
                durationMicroseconds: 1)
            total.fastest = Array(repeating: total.longest!, count: 3)
            try check(total)
        }
        try check(RefusalRow(event: EventID(Stage.uuid(1)), type: "", code: "x", message: "y", occurredAt: .at(1)))
        for alert in [Alert.now, .none, .heldByFocus, .heldForSummary] {
            for reason in AlertReason.allCases {
                let decision = AlertDecision(alert, reason, overridesSilentSwitch: reason == .critical)
                try check(AlertRow(decision, introducesTimeSensitive: reason == .muted, post: Version(7)))
                try check(
                    AlertRow(
                        decision, introducesTimeSensitive: false, post: Version(7), summaryRank: 3,
                        deviceClass: .desktop))
            }
        }
    }

    @Test("N7: a notification's row, and the row once read")
    func notifications() throws {
        let full = NotificationPosted(
            notificationID: "a", category: "c", thread: "", title: "T", subtitle: "S", body: "B", level: .critical,
            relevance: 0.5, marketing: true, interactionID: "i", eventAt: Timestamp(microseconds: 0), sound: "s")
        for posted in [full, NotificationPosted(notificationID: "a", body: "")] {
            var row = NotificationRow(posted, title: posted.title ?? "", postedAt: .at(1), unread: true)
            try check(row)
            (row.avatar, row.hiddenBody) = (posted.category, posted.thread)
            try check(row)
            let unread = row.encoded
            row.unread = false
            try check(row)
            #expect(NotificationRow.read(unread) == row.encoded)
            #expect(NotificationRow.read(row.encoded) == row.encoded)
        }
    }

    @Test("Bytes that are no such message throw")
    func malformed() {
        #expect(throws: ProtoError.self) { try AlertRow(decoding: []) }
        #expect(throws: ProtoError.self) { try AuthorizationRow(decoding: [8, 99, 16, 1]) }
        #expect(throws: ProtoError.self) { try AudienceRow(decoding: [10, 1, 65]) }
        #expect(throws: ProtoError.self) { try NotificationRow(decoding: [10]) }
        #expect(throws: ProtoError.self) { try BadgeRow(decoding: [18, 0]) }
        #expect(throws: ProtoError.self) { try NotificationSettingsRow(decoding: [10, 2, 32, 9]) }
        #expect(throws: ProtoError.self) { try AlertRow(decoding: [8, 1, 16, 1, 56, 9]) }
        // A total without a period, a day without a date, and a number below zero.
        #expect(throws: ProtoError.self) { try RouteTotalRow(decoding: []) }
        #expect(throws: ProtoError.self) { try RouteTotalRow(decoding: [16, 1]) }
        #expect(throws: ProtoError.self) {
            try RouteTotalRow(decoding: [16, 4, 32] + Array(repeating: 0xFF, count: 9) + [1])
        }
    }
}
