import FocusCore

/// Messages of every kind, with all fields and with as few as possible.
enum SampleMessages {
    static let cursor = Cursor(
        log: LogID(SampleEvents.id(10)), version: Version(1_234_567), event: EventID(SampleEvents.id(11)),
        view: 0xFEDC_BA98_7654_3210)
    private static let start = Cursor(
        log: LogID(SampleEvents.id(10)), version: .zero, event: EventID(DeviceID.server.uuid), view: 0)

    static let rows = [
        DeltaRow(
            key: RowKey(.notifications, app: AppID("com.example.messages"), key: "message-1"), version: Version(7),
            value: [0x1A, 0x01, 0x41]),
        DeltaRow(
            key: RowKey(.alerts, app: AppID("com.example.messages"), key: "message-1"), version: Version(7),
            value: nil),
        DeltaRow(key: RowKey(.badges, app: AppID("com.example.mail"), key: ""), version: Version(300), value: []),
        DeltaRow(key: RowKey(.focuses, key: "wörk 🏃"), version: .zero, value: Array(repeating: 0xAB, count: 300)),
    ]

    static let client: [ClientMessage] = [
        .hello(
            Hello(
                minimumProtocol: 1, maximumProtocol: 3, token: "a.b.c", deviceClass: .watch,
                incarnation: Incarnation(-5),
                cursor: cursor, collections: [.badges, .notifications])),
        .hello(
            Hello(
                minimumProtocol: 0, maximumProtocol: 0, token: "", deviceClass: .phone, incarnation: Incarnation(0),
                cursor: nil,
                collections: [])),
        .append(
            AppendRequest(
                firstSequence: DeviceSequence(41),
                envelopes: [
                    Envelope(
                        id: EventID(SampleEvents.id(1)), type: "notification.posted", app: "com.example.messages",
                        occurredAt: SampleEvents.time, schemaVersion: 1, payload: [1, 2, 3]),
                    Envelope(
                        id: EventID(SampleEvents.id(2)), type: "notification.posted", app: "com.example.messages",
                        occurredAt: Timestamp(microseconds: -1), schemaVersion: .min, payload: []),
                    Envelope(
                        id: EventID(SampleEvents.id(3)), type: "", app: nil, occurredAt: Timestamp(microseconds: .min),
                        schemaVersion: 0, payload: Array(repeating: 7, count: 70_000)),
                    Envelope(
                        id: EventID(SampleEvents.id(4)), type: "later.event", app: "",
                        occurredAt: Timestamp(microseconds: .max),
                        schemaVersion: .max, payload: [0]),
                ])),
        .append(AppendRequest(firstSequence: .zero, envelopes: [])),
        .heal(
            .reoffer(
                Reoffer(
                    incarnation: Incarnation(-7), firstSequence: DeviceSequence(3),
                    events: [
                        .init(
                            envelope: Envelope(
                                id: EventID(SampleEvents.id(1)), type: "t", app: nil, occurredAt: SampleEvents.time,
                                schemaVersion: 1, payload: [1]), outcome: .accepted),
                        .init(
                            envelope: Envelope(
                                id: EventID(SampleEvents.id(2)), type: "t", app: "a", occurredAt: SampleEvents.time,
                                schemaVersion: 1, payload: []), outcome: .refused(code: "", message: "")),
                    ], code: Array(repeating: 9, count: 32)))),
        .heal(.lost(LostEvents(incarnation: Incarnation(.min), first: DeviceSequence(1), last: DeviceSequence(9)))),
        .ack(Version(9)), .ack(.zero),
        .resync([.focuses, .activeFocus]), .resync([]),
        .active(true, app: AppID("com.example.chat")), .active(false, app: nil), .active(true, app: nil),
        .ping(.max), .ping(0), .pong(17), .bye, .renew(token: "a.b.c"), .renew(token: ""), .unknown,
        .fetch(FetchRequest(id: .max, .routePoints(item, from: .init(microseconds: .min), to: nil, limit: 17))),
        .fetch(FetchRequest(id: 0, .routePoints(item, from: nil, to: SampleEvents.time, limit: 0))),
        .fetch(
            FetchRequest(id: 3, .routeSpeed(item, from: SampleEvents.time, to: Timestamp(microseconds: .max)))),
        .fetch(FetchRequest(id: 4, .route(item))), .fetch(FetchRequest(id: 5, .routes(after: nil))),
        .fetch(FetchRequest(id: 6, .routes(after: item))), .fetch(FetchRequest(id: 7, .workouts(after: item))),
        .fetch(FetchRequest(id: 8, .unknown)),
        .fetch(FetchRequest(id: 9, .reach(ReachQuestion(user: UserID(SampleEvents.id(2)), app: item.app)))),
        .fetch(
            FetchRequest(
                id: 10,
                .reach(ReachQuestion(user: UserID(SampleEvents.id(3)), app: item.app, level: .timeSensitive)))),
        .fetch(
            FetchRequest(
                id: 11, .reach(ReachQuestion(user: UserID(SampleEvents.id(3)), app: item.app, isCommunication: true)))),
        .watch([UserID(SampleEvents.id(2)), UserID(SampleEvents.id(3))]), .watch([]),
        .unwatch([UserID(SampleEvents.id(2))]), .unwatch([]),
    ]

    private static let item = AppItem(AppID("com.example.trails")!, "mörgen/1")

    static let server: [ServerMessage] = [
        .welcome(
            Welcome(
                protocolVersion: 1, session: "s-1", log: LogID(SampleEvents.id(10)), lastSequence: DeviceSequence(40),
                maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: 64, heartbeatMilliseconds: 25_000,
                serverTime: SampleEvents.time, maximumFetches: 4,
                quotas: Quotas(
                    eventsPerDay: 1, bytesPerDay: 1 << 40, fetchesPerMinute: 3, resyncsPerMinute: 4,
                    watchedUsersPerMinute: 5, sessionsPerMinute: 6))),
        .appended(Appended(throughSequence: DeviceSequence(41), version: Version(1_000_000), refused: [])),
        .appended(Appended(throughSequence: .zero, version: .zero, refused: [])),
        .welcome(
            Welcome(
                protocolVersion: 1, session: "", log: LogID(SampleEvents.id(10)), lastSequence: .zero,
                logIsBehind: true,
                maximumFrameBytes: 1, maximumUnacknowledgedAppends: 1, heartbeatMilliseconds: 1,
                serverTime: SampleEvents.time)),
        .appended(
            Appended(
                throughSequence: DeviceSequence(41), version: Version(7), refused: [],
                receipts: [
                    Receipt(
                        first: DeviceSequence(40), through: DeviceSequence(41), code: Array(repeating: 9, count: 32)),
                    Receipt(first: .zero, through: .zero, code: []),
                ])),
        .appended(
            Appended(
                throughSequence: DeviceSequence(2), version: Version(7), refused: [], incarnation: Incarnation(-1))),
        .appended(
            Appended(
                throughSequence: DeviceSequence(41), version: Version(1),
                refused: [
                    RefusedEvent(
                        sequence: DeviceSequence(40), event: EventID(SampleEvents.id(1)), code: "clock_skew",
                        message: "Ahead.")
                ])),
        .snapshotBegin(version: Version(5)), .snapshotBegin(version: .zero, collections: [.badges, .focuses]),
        .snapshotRows(rows), .snapshotRows([]), .snapshotEnd(cursor),
        .deltaBegin(from: Version(3), to: Version(9)), .deltaRows(rows), .deltaEnd(start),
        .delta(from: Version(3), rows: rows, cursor: cursor), .delta(from: .zero, rows: [], cursor: start),
        .checkpoint(
            cursor,
            [
                CollectionDigest(collection: .badges, count: 3, digest: Digest(sum: 0x0102_0304)),
                CollectionDigest(collection: .routes, count: 0, digest: Digest()),
            ]),
        .checkpoint(start, []),
        .ping(1), .pong(0),
        .error(
            ProtocolError(
                .sequenceGap, "Expected 5.", retryAfterMilliseconds: 100, expected: DeviceSequence(5),
                sequence: DeviceSequence(9))),
        .error(ProtocolError(.internal, "", expected: .zero, sequence: .zero)),
        .goAway(GoAway(code: .shuttingDown, minimumBackoffMilliseconds: 500, maximumBackoffMilliseconds: 5_000)),
        .tokenExpiry(SampleEvents.time, serverTime: Timestamp(microseconds: -1)),
        .error(ProtocolError(.notFound, "", request: 0)),
        .fetched(Fetched(request: 1, version: Version(9), .points(points, next: SampleEvents.time))),
        .fetched(Fetched(request: 0, version: .zero, .points([], next: nil))),
        .fetched(Fetched(request: 2, version: Version(1), .speed(2.5))),
        .fetched(Fetched(request: 2, version: Version(1), .speed(0))),
        .fetched(Fetched(request: 3, version: Version(1), .speed(nil))),
        .fetched(Fetched(request: 4, version: Version(1), .rows(rows, more: true))),
        .fetched(Fetched(request: .max, version: Version(1), .rows([], more: false))),
        .fetched(Fetched(request: 5, version: Version(1), .unknown)),
        .fetched(Fetched(request: 6, version: .zero, .reach(.ringsNow))),
        .fetched(Fetched(request: 7, version: .zero, .reach(.waits(atMost: SampleEvents.time)))),
        .fetched(Fetched(request: 8, version: .zero, .reach(.untold))),
        .fetched(Fetched(request: 9, version: .zero, .reach(.nextSummary(at: SampleEvents.time)))),
        .peerStatuses(
            PeerStatuses(
                [
                    PeerStatus(user: UserID(SampleEvents.id(2)), app: AppID("com.example.messages"), isFocused: true),
                    PeerStatus(user: UserID(SampleEvents.id(2)), app: AppID("com.example.mail"), isFocused: false),
                    PeerStatus(user: UserID(SampleEvents.id(3)), app: nil, isFocused: nil),
                ], now: SampleEvents.time)),
        .peerStatuses(
            PeerStatuses(
                statuses: [], validUntil: Timestamp(microseconds: 0), serverTime: Timestamp(microseconds: 0))),
        .unknown,
    ]

    private static let points = [
        RoutePoint(time: SampleEvents.time, latitude: 47.5, longitude: -8.25),
        RoutePoint(
            time: Timestamp(microseconds: .max), latitude: -90, longitude: 180, altitude: 430.5, horizontalAccuracy: 5,
            verticalAccuracy: 3, speed: 0, course: 359.5),
    ]
}
