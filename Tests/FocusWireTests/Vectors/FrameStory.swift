import FocusCore

@testable import FocusWire

/// What a phone and a server say to each other: the messages of `Schema/samples/frames.txt`. Its receipt is that of
/// `receipts.txt`, its rows add up to the digests of its checkpoints.
enum FrameStory {
    private static let messages = AppID("com.example.messages")
    private static let collections: [RowCollection] = [
        .apps, .badges, .focusVisibility, .focuses, .activeFocus, .notifications,
    ]
    private static let view = View(
        scope: .system, device: ReceiptVectors.story.subject.device, deviceClass: .phone, collections: Set(collections))

    static func vectors() throws -> [FrameVector] {
        try opening() + appending() + watchingRows() + healing() + recalling() + others() + endings() + strange()
    }

    // MARK: Rows

    private static func row(
        _ collection: RowCollection, _ key: String, at version: Int64, _ value: [UInt8]?
    ) -> DeltaRow {
        let isOfUser = collection == .focuses || collection == .activeFocus
        return DeltaRow(
            key: RowKey(collection, app: isOfUser ? nil : messages, key: key), version: Version(version), value: value)
    }

    private static let snapshot = [
        row(
            .apps, "", at: 1,
            AppRow(
                AppRegistered(
                    name: "Messages", build: 42, declaredIntents: [.sendMessage], capabilities: [.communication])
            ).encoded),
        // A row without bytes is there all the same.
        row(.focusVisibility, "", at: 1, FocusVisibilityRow(isFocused: nil).encoded),
        row(.badges, "", at: 3, BadgeRow(count: 0).encoded),
        row(.focuses, "work", at: 4, FocusRow(FocusConfigured(focusID: "work", name: "Work")).encoded),
    ]
    private static let changed = [
        row(.activeFocus, "", at: 6, ActiveFocusRow(focusID: "work", endsAt: nil).encoded),
        row(.badges, "", at: 7, BadgeRow(count: 1).encoded),
        row(
            .notifications, "message-1", at: 7,
            NotificationRow(
                NotificationPosted(notificationID: "message-1", body: "At half past six?"), title: "Zoë",
                postedAt: SampleEvents.time, unread: true
            ).encoded),
    ]
    private static let removed = [
        row(.badges, "", at: 9, BadgeRow(count: 0).encoded), row(.notifications, "message-1", at: 9, nil),
    ]

    private static func cursor(_ version: Int64, _ event: UInt8) -> Cursor {
        Cursor(
            log: ReceiptVectors.story.subject.log, version: Version(version), event: EventID(SampleEvents.id(event)),
            view: view.hash)
    }

    /// The checkpoint of a device that got these rows, one after the other.
    private static func checkpoint(_ cursor: Cursor, _ rows: [DeltaRow]) -> ServerMessage {
        var held: [RowKey: [UInt8]] = [:]
        for row in rows { held[row.key] = row.value }
        let digests = collections.sorted().map { collection in
            var digest = Digest()
            let values = held.filter { $0.key.collection == collection }
            for (key, value) in values { digest += RowHash(key, value: value) }
            return CollectionDigest(collection: collection, count: UInt64(values.count), digest: digest)
        }
        return .checkpoint(cursor, digests)
    }

    // MARK: The session

    private static func opening() -> [FrameVector] {
        let story = ReceiptVectors.story.subject
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 2, token: "header.claims.signature", deviceClass: .phone,
            incarnation: story.incarnation, cursor: nil, collections: collections)
        var again = hello
        again.cursor = cursor(4, 20)
        let welcome = Welcome(
            protocolVersion: 2, session: "6b1f", log: story.log, lastSequence: .zero, maximumFrameBytes: 1 << 20,
            maximumUnacknowledgedAppends: 64, heartbeatMilliseconds: 25_000, serverTime: SampleEvents.time,
            maximumFetches: 4,
            quotas: Quotas(
                eventsPerDay: 200_000, bytesPerDay: 1 << 30, fetchesPerMinute: 600, resyncsPerMinute: 60,
                watchedUsersPerMinute: 4_096, sessionsPerMinute: 300))
        var lost = welcome
        (lost.lastSequence, lost.lastEvent) = (DeviceSequence(2), EventID(SampleEvents.id(2)))
        (lost.isEnded, lost.logIsBehind) = (true, true)
        return [
            FrameVector("hello", .hello(hello)), FrameVector("welcome", .welcome(welcome)),
            FrameVector("snapshot_begin", .snapshotBegin(version: Version(4))),
            FrameVector("snapshot_rows", .snapshotRows(snapshot)),
            FrameVector("snapshot_end", .snapshotEnd(cursor(4, 20))),
            FrameVector("checkpoint.snapshot", checkpoint(cursor(4, 20), snapshot)),
            FrameVector("hello.again", .hello(again)), FrameVector("welcome.behind", .welcome(lost)),
        ]
    }

    private static func appending() -> [FrameVector] {
        let story = ReceiptVectors.story
        let request = AppendRequest(firstSequence: story.receipt.first, envelopes: story.events.map(\.envelope))
        let refused = RefusedEvent(
            sequence: DeviceSequence(3), event: story.events[2].envelope.id, code: "app_unknown", message: "no")
        let appended = Appended(
            throughSequence: DeviceSequence(3), version: Version(8), refused: [refused], receipts: [story.receipt])
        return [
            FrameVector("append", .append(request)), FrameVector("appended", .appended(appended)),
            FrameVector(
                "appended.again",
                .appended(Appended(throughSequence: DeviceSequence(3), version: Version(8), refused: [refused]))),
            FrameVector(
                "error.gap",
                .error(
                    ProtocolError(
                        .sequenceGap, "Expected 4.", expected: DeviceSequence(4), sequence: DeviceSequence(9)))),
            FrameVector(
                "error.event_unknown",
                .error(
                    ProtocolError(
                        .eventUnknown, "Later.", retryAfterMilliseconds: 60_000, sequence: DeviceSequence(4)))),
            FrameVector(
                "error.conflict", .error(ProtocolError(.sequenceConflict, "Taken.", sequence: DeviceSequence(4)))),
        ]
    }

    private static func watchingRows() -> [FrameVector] {
        [
            FrameVector("delta", .delta(from: Version(4), rows: changed, cursor: cursor(8, 3))),
            FrameVector("checkpoint.delta", checkpoint(cursor(8, 3), snapshot + changed)),
            FrameVector("delta_begin", .deltaBegin(from: Version(8), to: Version(9))),
            FrameVector("delta_rows", .deltaRows(removed)), FrameVector("delta_end", .deltaEnd(cursor(9, 21))),
            FrameVector("ack", .ack(Version(9))),
            FrameVector("checkpoint.later", checkpoint(cursor(10, 22), snapshot + changed + removed)),
            FrameVector("resync", .resync([.badges, .focuses])), FrameVector("resync.all", .resync([])),
            FrameVector(
                "snapshot_begin.resync", .snapshotBegin(version: Version(10), collections: [.badges, .focuses])),
        ]
    }

    private static func healing() -> [FrameVector] {
        let story = ReceiptVectors.story
        let offered = story.events.map { event in
            var offered = Reoffer.Offered(envelope: event.envelope, outcome: event.outcome)
            // A refused event is offered without its payload.
            if event.outcome != .accepted { offered.envelope.payload = [] }
            return offered
        }
        let reoffer = Reoffer(
            incarnation: story.subject.incarnation, firstSequence: story.receipt.first, events: offered,
            code: story.receipt.code)
        let lost = LostEvents(incarnation: Incarnation(-2), first: DeviceSequence(1), last: DeviceSequence(9))
        return [
            FrameVector("reoffer", .heal(.reoffer(reoffer))), FrameVector("lost", .heal(.lost(lost))),
            FrameVector(
                "appended.lost",
                .appended(
                    Appended(
                        throughSequence: DeviceSequence(9), version: Version(11), refused: [],
                        incarnation: lost.incarnation))),
        ]
    }

    private static func recalling() -> [FrameVector] {
        let story = ReceiptVectors.story
        let recall = Recall(
            incarnation: story.subject.incarnation, firstSequence: story.receipt.first,
            events: story.events.map(\.envelope.id) + [EventID(SampleEvents.id(4))])
        let recalled = Recalled(
            incarnation: recall.incarnation, firstSequence: recall.firstSequence,
            outcomes: story.events.map(\.outcome) + [nil], version: Version(9), receipts: [story.receipt])
        let end = Recall(incarnation: recall.incarnation, firstSequence: DeviceSequence(1), events: [])
        return [
            FrameVector("recall", .recall(recall)), FrameVector("recalled", .recalled(recalled)),
            FrameVector("recall.end", .recall(end)),
        ]
    }

    private static func others() throws -> [FrameVector] {
        let route = AppItem(try SampleEvents.app("com.example.trails"), "mörgen/1")
        let (anna, ben) = (UserID(SampleEvents.id(12)), UserID(SampleEvents.id(13)))
        let later = SampleEvents.time.adding(microseconds: 60_000_000)
        func fetch(_ id: UInt64, _ question: FetchQuestion) -> ClientMessage { .fetch(FetchRequest(id: id, question)) }
        func fetched(_ id: UInt64, _ answer: FetchAnswer) -> ServerMessage {
            .fetched(Fetched(request: id, version: Version(9), answer))
        }
        func reached(_ id: UInt64, _ reach: Reach) -> ServerMessage {
            .fetched(Fetched(request: id, version: .zero, .reach(reach)))
        }
        let point = RoutePoint(
            time: SampleEvents.time, latitude: 47.5, longitude: -8.25, altitude: 430.5, horizontalAccuracy: 5,
            verticalAccuracy: 3, speed: 0, course: 271.5)
        return [
            FrameVector("watch", .watch([anna, ben])), FrameVector("unwatch", .unwatch([ben])),
            FrameVector("unwatch.all", .unwatch([])),
            FrameVector(
                "peer_statuses",
                .peerStatuses(
                    PeerStatuses(
                        [
                            PeerStatus(user: anna, app: messages, isFocused: true),
                            PeerStatus(user: anna, app: AppID("com.example.mail"), isFocused: false),
                            PeerStatus(user: ben, app: nil, isFocused: nil),
                        ], now: SampleEvents.time))),
            FrameVector("fetch.points", fetch(1, .routePoints(route, from: SampleEvents.time, to: nil, limit: 100))),
            FrameVector("fetched.points", fetched(1, .points([point], next: later))),
            FrameVector("fetch.speed", fetch(2, .routeSpeed(route, from: SampleEvents.time, to: later))),
            FrameVector("fetched.speed", fetched(2, .speed(2.5))),
            FrameVector("fetched.no_speed", fetched(2, .speed(nil))),
            FrameVector("fetch.route", fetch(3, .route(route))),
            FrameVector("error.fetch", .error(.notFound(request: 3))),
            FrameVector("fetch.routes", fetch(4, .routes(after: route))),
            FrameVector("fetch.workouts", fetch(5, .workouts(after: nil))),
            FrameVector("fetched.rows", fetched(5, .rows([], more: false))),
            FrameVector("fetch.reach", fetch(6, .reach(ReachQuestion(user: ben, app: route.app)))),
            FrameVector(
                "fetch.reach.level", fetch(7, .reach(ReachQuestion(user: ben, app: route.app, level: .timeSensitive)))),
            FrameVector(
                "fetch.reach.communication",
                fetch(8, .reach(ReachQuestion(user: ben, app: route.app, isCommunication: true)))),
            FrameVector("fetched.reach.now", reached(6, .ringsNow)),
            FrameVector("fetched.reach.until", reached(7, .waits(atMost: later))),
            FrameVector("fetched.reach.untold", reached(8, .untold)),
            FrameVector("fetched.reach.summary", reached(8, .nextSummary(at: later))),
            FrameVector("active", .active(true, app: AppID("com.example.chat"))),
            FrameVector("active.ended", .active(false, app: nil)),
            FrameVector("renew", .renew(token: "header.claims.signature")),
            FrameVector("token_expiry", .tokenExpiry(later, serverTime: SampleEvents.time)),
        ]
    }

    private static func endings() -> [FrameVector] {
        [
            FrameVector("ping", ServerMessage.ping(300)), FrameVector("pong", ClientMessage.pong(300)),
            FrameVector("ping", ClientMessage.ping(.max)), FrameVector("pong", ServerMessage.pong(.max)),
            FrameVector("bye", .bye), FrameVector("error.token", .error(.tokenNotAccepted)),
            FrameVector(
                "go_away",
                .goAway(
                    GoAway(code: .shuttingDown, minimumBackoffMilliseconds: 500, maximumBackoffMilliseconds: 5_000))),
        ]
    }

    /// Frames of a later program, and bytes that are no message.
    private static func strange() -> [FrameVector] {
        var field = ProtoWriter()
        field.string(200, "later")
        var message = ProtoWriter()
        message.message(100) { $0.string(1, "a message of a later protocol") }
        let pong = FrameVector("pong", ServerMessage.pong(17)).message
        let ping = FrameVector("ping", ClientMessage.ping(17)).message
        return [
            FrameVector(.laterServer, "pong.field", message: pong + field.bytes),
            FrameVector(.laterServer, "message", message: message.bytes),
            FrameVector(.laterDevice, "ping.field", message: field.bytes + ping),
            FrameVector(.laterDevice, "message", message: message.bytes),
            FrameVector(.laterDevice, "empty", message: []),
            FrameVector(.malformed, "varint", message: [0x08]),
            FrameVector(.malformed, "length", message: [0x0A, 5]),
            FrameVector(.malformed, "wire_type", message: [0x0F]),
            FrameVector(.malformed, "utf8", message: [0x0A, 3, 0x1A, 1, 0xFF]),
        ]
    }
}
