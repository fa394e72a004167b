import FocusCore
import SwiftProtobuf
import Testing

@testable import FocusWire

/// The fold writes row values by hand (canonically, rule S9); they must be valid messages of `rows.proto` and
/// `route_rows.proto`.
@Suite("Row messages")
struct RowMessageTests {
    /// Checks that the JSON names every field and its value, that the bytes have no field unknown to the message, and
    /// that a canonical writer of another language makes the same bytes.
    private func expect(_ collection: RowCollection, _ value: [UInt8], is json: String) throws {
        #expect(try RowJSON.json(collection, value) == json)
        let message = try #require(collection.message).init(serializedBytes: value)
        #expect(message.unknownFields.data.isEmpty)
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        let again: [UInt8] = try message.serializedBytes(options: options)
        #expect(again == value)
    }

    @Test("S9: apps and authorizations in canonical bytes, every field named")
    func apps() throws {
        let app = AppRegistered(
            name: "Mail", build: 3, declaredIntents: [.startCall, .sendMessage],
            capabilities: [.critical, .communication],
            focusStatusUsageDescription: "")
        try expect(
            .apps, AppRow(app).encoded,
            is: #"{"name":"Mail","build":"3","declaredIntents":["SEND_MESSAGE","START_CALL"],"#
                + #""capabilities":["COMMUNICATION","CRITICAL"],"focusStatusUsageDescription":""}"#)
        try expect(
            .authorizations, AuthorizationRow(kind: .readRoutes, status: .restricted).encoded,
            is: #"{"kind":"READ_ROUTES","status":"RESTRICTED"}"#)
    }

    @Test("S9: Focuses, the active one, visibility and audience in canonical bytes, every field named")
    func focus() throws {
        let work = FocusConfigured(
            focusID: "work", name: "Work", symbol: "bag",
            allowedApps: [try SampleEvents.app("b.c"), try SampleEvents.app("a.b")],
            allowedPeople: ["zoe", "anna"], allowsTimeSensitive: true, sharesStatus: true)
        try expect(
            .focuses, FocusRow(work).encoded,
            is: #"{"name":"Work","symbol":"bag","allowedApps":["a.b","b.c"],"allowedPeople":["anna","zoe"],"#
                + #""allowsTimeSensitive":true,"sharesStatus":true}"#)
        try expect(
            .activeFocus, ActiveFocusRow(focusID: "work", endsAt: Timestamp(microseconds: 0)).encoded,
            is: #"{"focusId":"work","endsAtUs":"0"}"#)
        try expect(.activeFocus, ActiveFocusRow(focusID: "work", endsAt: nil).encoded, is: #"{"focusId":"work"}"#)
        try expect(.focusVisibility, FocusVisibilityRow(isFocused: nil).encoded, is: "{}")
        try expect(.focusVisibility, FocusVisibilityRow(isFocused: false).encoded, is: #"{"isFocused":false}"#)
        let user = UserID(SampleEvents.id(1))
        try expect(.audience, AudienceRow(user: user).encoded, is: #"{"user":"\#(user)"}"#)
    }

    @Test("S9: notifications, alerts and badges in canonical bytes, every field named")
    func notifications() throws {
        let sample = try SampleEvents.full(.notificationPosted)
        guard case .notificationPosted(let posted) = sample else {
            Issue.record("\(sample)")
            return
        }
        var row = NotificationRow(posted, title: "Anna", postedAt: Timestamp(microseconds: 9), unread: true)
        row.avatar = "avatars/anna"
        row.hiddenBody = ""
        try expect(
            .notifications, row.encoded,
            is: #"{"category":"message","thread":"anna","title":"Anna","subtitle":"Trip","body":"At half past six?","#
                + #""level":"TIME_SENSITIVE","relevance":0.75,"marketing":true,"interactionId":"interaction-1","#
                + #""eventAtUs":"1750000000000000","sound":"chime","postedAtUs":"9","avatar":"avatars/anna","#
                + #""hiddenBody":"","unread":true}"#)
        let brief = NotificationPosted(notificationID: "n", body: "")
        var alert = NotificationRow(brief, title: "", postedAt: Timestamp(microseconds: 9), unread: true)
        alert.government = true
        try expect(
            .notifications, alert.encoded,
            is: #"{"level":"ACTIVE","postedAtUs":"9","unread":true,"government":true}"#)
        let decision = AlertDecision(.heldForSummary, .scheduledDelivery, overridesSilentSwitch: true)
        try expect(
            .alerts, AlertRow(decision, introducesTimeSensitive: true, post: Version(8)).encoded,
            is: #"{"alert":"HELD_FOR_SUMMARY","reason":"SCHEDULED_DELIVERY","overridesSilentSwitch":true,"#
                + #""introducesTimeSensitive":true,"postVersion":"8"}"#)
        let rung = AlertRow(
            AlertDecision(.now, .summary), introducesTimeSensitive: false, post: Version(8), summaryRank: 2,
            deviceClass: .watch)
        try expect(
            .classAlerts, rung.encoded,
            is: #"{"alert":"NOW","reason":"SUMMARY","postVersion":"8","summaryRank":2,"#
                + #""deviceClass":"DEVICE_CLASS_WATCH"}"#)
        try expect(
            .badges, BadgeRow(count: nil, others: [.init(.tablet, count: 0), .init(.watch, count: nil)]).encoded,
            is: #"{"others":[{"deviceClass":"DEVICE_CLASS_TABLET","count":"0"},{"deviceClass":"DEVICE_CLASS_WATCH"}]}"#)
        try expect(.badges, BadgeRow(count: 0).encoded, is: #"{"count":"0"}"#)
        try expect(.badges, BadgeRow(count: nil).encoded, is: "{}")
    }

    @Test("S9: categories, actions and suggestions in canonical bytes, every field named")
    func people() throws {
        try expect(
            .categories, CategoriesRow([SampleEvents.category, NotificationCategory(id: "")]).encoded,
            is: #"{"categories":[{"id":"message","hiddenPreviewsPlaceholder":"Message","actions":[{"id":"reply","#
                + #""title":"Reply","icon":"arrow","opensApp":true,"textInput":true,"needsUnlock":true},"#
                + #"{"id":"delete","title":"Delete","destructive":true}]},{}]}"#)
        try expect(
            .actions,
            ActionRow(action: "reply", doubleTap: true, performedAt: Timestamp(microseconds: 3)).encoded,
            is: #"{"action":"reply","doubleTap":true,"performedAtUs":"3"}"#)
        try expect(
            .waitingActions,
            WaitingActionRow(
                number: 2, notificationID: "n", action: "reply", doubleTap: true, text: "",
                performedAt: Timestamp(microseconds: 3), device: DeviceID(SampleEvents.id(1))
            ).encoded,
            is: #"{"number":"2","notificationId":"n","action":"reply","doubleTap":true,"text":"","performedAtUs":"3","#
                + #""device":"0190a6b0-1c2d-7e3f-8a4b-000000000001"}"#)
        try expect(
            .suggestions,
            SuggestionRow(outgoing: 2, incoming: 1, lastAt: Timestamp(microseconds: -1), score: 4.5).encoded,
            is: #"{"outgoing":"2","incoming":"1","lastAtUs":"-1","score":4.5}"#)
    }

    @Test("S9: notification settings and the delivery schedule in canonical bytes, every field named")
    func settings() throws {
        var row = NotificationSettingsRow(effective: ByClass(repeating: NotificationSettings()))
        let defaults = #"{"alerts":true,"badges":true,"sounds":true,"previews":"ALWAYS","timeSensitive":true}"#
        try expect(
            .notificationSettings, row.encoded,
            is: #"{"phone":\#(defaults),"tablet":\#(defaults),"watch":\#(defaults),"desktop":\#(defaults)}"#)
        var off = NotificationSettings()
        (off.alerts, off.badges, off.sounds, off.timeSensitive) = (false, false, false, false)
        (off.previews, off.scheduledDelivery) = (.whenUnlocked, true)
        row.effective = ByClass(repeating: off)
        row.own.phone.alerts = false
        row.own.tablet.previews = .never
        row.own.watch.badges = true
        row.own.watch.sounds = false
        row.own.desktop.timeSensitive = true
        row.own.desktop.scheduledDelivery = false
        row.mutedUntil = Timestamp(microseconds: 0)
        let settings = #"{"previews":"WHEN_UNLOCKED","scheduledDelivery":true}"#
        try expect(
            .notificationSettings, row.encoded,
            is: #"{"phone":\#(settings),"tablet":\#(settings),"watch":\#(settings),"desktop":\#(settings),"#
                + #""phoneOwn":{"alerts":false},"tabletOwn":{"previews":"NEVER"},"#
                + #""watchOwn":{"badges":true,"sounds":false},"#
                + #""desktopOwn":{"timeSensitive":true,"scheduledDelivery":false},"mutedUntilUs":"0"}"#)
        try expect(
            .deliverySchedule, DeliveryScheduleRow(times: [1_080, 0], timeZone: "Asia/Tokyo").encoded,
            is: #"{"times":[0,1080],"timeZone":"Asia/Tokyo"}"#)
    }

    @Test("S9: workouts and refusals in canonical bytes, every field named")
    func workouts() throws {
        let workout = WorkoutRow(
            activity: "running", start: Timestamp(microseconds: -1), end: Timestamp(microseconds: 5))
        try expect(.workouts, workout.encoded, is: #"{"activity":"running","startUs":"-1","endUs":"5"}"#)
        let event = EventID(SampleEvents.id(9))
        let refusal = RefusalRow(
            event: event, type: "focus.changed", code: "forbidden", message: "No.",
            occurredAt: Timestamp(microseconds: 4))
        try expect(
            .refusals, refusal.encoded,
            is: #"{"eventId":"\#(event)","type":"focus.changed","code":"forbidden","message":"No.","occurredAtUs":"4"}"#
        )
    }

    @Test("S9: routes in canonical bytes, every field named")
    func routes() throws {
        var aggregates = RouteAggregates(
            counts: RouteCounts(accepted: 1, duplicate: 2, notFinite: 3, impossible: 4, inaccurate: 5))
        aggregates.start = Timestamp(microseconds: 0)
        aggregates.end = Timestamp(microseconds: 6)
        aggregates.durationMicroseconds = 7
        aggregates.movingMicroseconds = 8
        aggregates.distance = 9.5
        aggregates.elevationGain = 10.5
        aggregates.elevationLoss = 11.5
        aggregates.altitude = -1...12.5
        aggregates.averageSpeed = 13.5
        aggregates.movingAverageSpeed = 14.5
        aggregates.maximumSpeed = 15.5
        aggregates.bounds = RouteBounds(south: -1.5, west: 2.5, north: 3.5, east: 4.5)
        aggregates.splits = [RouteSplit(distance: 1000, durationMicroseconds: 16)]
        aggregates.largestGapMicroseconds = 17
        aggregates.gapsOver3Seconds = 18
        let device = DeviceID(SampleEvents.id(3))
        let route = RouteRow(
            routeID: "r", activity: "running", utcOffsetSeconds: -3600, state: .finished, startedBy: device,
            workoutID: "w",
            metadata: ["z": "", "a": "b"], aggregates: aggregates,
            polyline: RoutePolyline(encoded: "_p~iF", errorMetres: 5),
            fastest: [
                RouteStretch(metres: 1_000, start: Timestamp(microseconds: 19), durationMicroseconds: 20)
            ])
        try expect(
            .routes, route.encoded,
            is: #"{"routeId":"r","activity":"running","utcOffsetS":-3600,"state":"ROUTE_STATE_FINISHED","#
                + #""startedBy":"\#(device)","workoutId":"w","metadata":{"a":"b","z":""},"aggregates":{"counts":{"#
                + #""accepted":"1","duplicate":"2","droppedNotFinite":"3","droppedImpossible":"4","#
                + #""droppedInaccurate":"5"},"startUs":"0","endUs":"6","durationUs":"7","movingUs":"8","#
                + #""distanceM":9.5,"elevationGainM":10.5,"elevationLossM":11.5,"altitude":{"minM":-1.0,"maxM":12.5},"#
                + #""averageSpeedMps":13.5,"movingAverageSpeedMps":14.5,"maximumSpeedMps":15.5,"bounds":{"south":-1.5,"#
                + #""west":2.5,"north":3.5,"east":4.5},"splits":[{"distanceM":1000.0,"durationUs":"16"}],"#
                + #""largestGapUs":"17","gapsOver3s":"18"},"polyline":{"encoded":"_p~iF","errorM":5.0},"#
                + #""fastest":[{"lengthM":"1000","startUs":"19","durationUs":"20"}]}"#)
    }

    @Test("S9: route totals in canonical bytes, every field named")
    func routeTotals() throws {
        let monday = CivilDate(year: 2026, month: 11, day: 16)
        var total = RouteTotalRow(activity: "running", period: .week, startsOn: monday)
        total.routes = 2
        total.distanceMillimetres = 3
        total.movingMicroseconds = 4
        total.elevationGainMillimetres = 5
        var best = RouteBest(
            app: try SampleEvents.app("a.b"), routeID: "r", start: Timestamp(microseconds: -6),
            distanceMillimetres: 7, durationMicroseconds: 8)
        total.longest = best
        best.distanceMillimetres = 1_000_000
        total.fastest = [best]
        try expect(
            .routeTotals, total.encoded,
            is: #"{"activity":"running","period":"WEEK","startsOn":"2026-11-16","routes":"2","distanceMm":"3","#
                + #""movingUs":"4","elevationGainMm":"5","longest":{"app":"a.b","routeId":"r","startUs":"-6","#
                + #""distanceMm":"7","durationUs":"8"},"fastest":[{"app":"a.b","routeId":"r","startUs":"-6","#
                + #""distanceMm":"1000000","durationUs":"8"}]}"#)
        let all = RouteTotalRow(activity: "", period: .all, startsOn: nil)
        try expect(.routeTotals, all.encoded, is: #"{"period":"ALL"}"#)
    }

    @Test("D2, S9: preferences of every type, in canonical bytes")
    func preferences() throws {
        let entries = ["b", "\u{E9}", "e\u{301}", ""].map { PropertyDictionary.Entry($0, .real(0)) }
        let dictionary = try #require(PropertyDictionary(entries))
        let cases: [(PropertyValue, String)] = [
            (.bool(false), #"{"bool":false}"#), (.integer(-3), #"{"integer":"-3"}"#), (.real(0), #"{"real":0.0}"#),
            (.real(.nan), #"{"real":"NaN"}"#), (.string(""), #"{"string":""}"#), (.data([]), #"{"data":""}"#),
            (.date(Timestamp(microseconds: -1)), #"{"dateUs":"-1"}"#),
            (
                .array([.array([]), .bool(true)]),
                #"{"array":{"values":[{"array":{}},{"bool":true}]}}"#
            ),
            (
                .dictionary(dictionary),
                #"{"dictionary":{"entries":[{"value":{"real":0.0}},{"key":"b","value":{"real":0.0}},"#
                    + "{\"key\":\"e\u{301}\",\"value\":{\"real\":0.0}},{\"key\":\"\u{E9}\",\"value\":{\"real\":0.0}}]}}"
            ),
        ]
        for (value, json) in cases {
            try expect(.preferences, PreferenceRow(value: value).encoded, is: #"{"value":\#(json)}"#)
            #expect(try PropertyValueJSON.json(value) == json)
            #expect(try PropertyValueJSON.value(json) == value)
        }
    }

    @Test("every public collection has a message, no internal one has; garbage is told")
    func messages() {
        for collection in RowCollection.allCases { #expect((collection.message != nil) == collection.isPublic) }
        #expect(throws: PayloadError.self) { try RowJSON.json(.stream, []) }
        #expect(throws: PayloadError.self) { try RowJSON.json(.apps, [0xFF]) }
    }
}
