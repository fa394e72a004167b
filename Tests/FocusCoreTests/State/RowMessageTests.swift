import Testing

@testable import FocusCore

@Suite("RowMessage") struct RowMessageTests {
    private func check<Value: RowMessage>(_ value: Value, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let decoded = try Value(decoding: value.encoded)
        #expect(decoded == value && decoded.encoded == value.encoded, sourceLocation: sourceLocation)
        // An older program reads a newer row.
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
        try check(
            WorkoutRow(activity: "running", start: Timestamp(microseconds: -1), end: Timestamp(microseconds: .max)))
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
        // Without a period; a day without a date; a number below zero.
        #expect(throws: ProtoError.self) { try RouteTotalRow(decoding: []) }
        #expect(throws: ProtoError.self) { try RouteTotalRow(decoding: [16, 1]) }
        #expect(throws: ProtoError.self) {
            try RouteTotalRow(decoding: [16, 4, 32] + Array(repeating: 0xFF, count: 9) + [1])
        }
    }
}
