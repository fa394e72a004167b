import EventStore
import FocusCore
import FocusWire
import Foundation
import SeededNumbers
import Testing
import Waits

@testable import SyncServer

/// A lane and one of two histories with the same seed: what the app `chat` and a peer may see is the same in both, in
/// the same order, and what lies between differs.
final class SilentLane {
    /// Whose frames are compared: two sessions of the app, and another user's that watches.
    enum Listener: UInt64, CaseIterable { case phone, tablet, peer }

    private static let chat = AppID("com.example.chat")!
    private static let others = (0..<4).map { AppID("com.example.other\($0)")! }
    private static let (anna, bob) = (UserID(UUID()), UserID(UUID()))
    private static let devices = (0..<4).map { _ in DeviceID(UUID()) }
    /// Sessions of the user's own, which are not compared: one tells what both histories have, the other the rest.
    private static let (agent, secretary): (UInt64, UInt64) = (10, 11)

    private let time = PartTime()
    private let connections = PartConnections()
    private let mailbox = Mailbox<LaneRequest>()
    private let worker: LaneWorker
    /// Whether the app may know of the Focus.
    private let mayKnow: Bool
    private var shared: SplitMix64
    private var secret: SplitMix64
    private var isFocused = false
    private var sessions: [Listener: UInt64] = [.phone: 100, .tablet: 200]
    private var sequences: [UInt64: Int64] = [:]
    private var ids = (shared: 0, hidden: 1_000_000)
    private(set) var hidden = 0
    /// What each was sent, as bytes.
    private(set) var told: [Listener: [[UInt8]]] = [:]

    static func play(
        _ seed: UInt64, secret: UInt64, format: Int32 = EventStore.silentFormat
    ) throws -> SilentLane {
        let lane = SilentLane(seed, secret: secret, format: format)
        try lane.begin()
        for step in 1...50 {
            for _ in 0..<Int.random(in: 0...3, using: &lane.secret) { try lane.hide() }
            lane.time.advance(1_000)
            try lane.share()
            lane.time.advance(1_000)
            try lane.turns([])
            if step % 7 == 0 { for listener in [Listener.phone, .tablet] { try lane.connectAgain(listener) } }
            if step % 9 == 0 { try lane.turns([.resync(session: lane.sessions[.tablet]!, [.notifications])]) }
        }
        return lane
    }

    private init(_ seed: UInt64, secret: UInt64, format: Int32) {
        mayKnow = seed % 2 == 0
        shared = SplitMix64(seed: seed)
        self.secret = SplitMix64(seed: secret)
        var configuration = LaneConfiguration()
        // Each event is answered in its turn: nobody folds beside the lane here, and nobody else asks for little.
        (configuration.gatherMicroseconds, configuration.workBesideLane) = (0, .max)
        var context = LaneSamples.context(time, configuration)
        context.format = LogFormat(format)
        context.receiptKey = ReceiptKey(secret: Array(repeating: 7, count: 32))
        let store = PartLog()
        worker = LaneWorker(
            context: context, index: 0, partitions: [PartLog.partition], mailbox: mailbox, store: store,
            services: LaneServices(
                projector: NoService(), loader: PartLoader(store, mailbox), fetcher: NoService(),
                placeFinder: NoService(), folder: NoService()))
    }

    // MARK: Sessions

    private func begin() throws {
        for (number, session) in [Self.agent, Self.secretary].enumerated() {
            try open(session, Self.devices[2 + number], .system)
        }
        let registered = AppRegistered(
            name: "Chat", build: 1, declaredIntents: [.sendMessage], capabilities: [.communication, .timeSensitive],
            focusStatusUsageDescription: "why")
        try append(.appRegistered(registered), Self.chat, by: Self.agent)
        for (kind, status) in [
            (AuthorizationKind.notifications, AuthorizationStatus.authorized),
            (.focusStatus, mayKnow ? .authorized : .denied),
        ] {
            try append(
                .authorizationChanged(AuthorizationChanged(kind: kind, status: status)), Self.chat, by: Self.agent)
        }
        try append(.audienceChanged(AudienceChanged(add: [Self.bob])), Self.chat, by: Self.agent)
        // One that nobody configured would tell.
        for number in 0..<3 {
            let own = FocusConfigured(focusID: "own\(number)", name: "O", sharesStatus: !mayKnow)
            try append(.focusConfigured(own), nil, by: Self.agent)
        }
        for listener in [Listener.phone, .tablet] {
            try open(sessions[listener]!, Self.devices[Int(listener.rawValue)], .app(Self.chat))
        }
        let viewer = Viewer(user: Self.bob, scope: .app(Self.chat))
        try turns([.watch(connections.handle(Listener.peer.rawValue), viewer, [Self.anna])])
    }

    private func open(_ session: UInt64, _ device: DeviceID, _ scope: Scope, cursor: Cursor? = nil) throws {
        var opening = LaneSamples.opening(LaneSamples.identity(Self.anna, device, scope))
        opening.cursor = cursor
        try turns([.open(connections.handle(session, quota: 1 << 30), opening)])
    }

    private func connectAgain(_ listener: Listener) throws {
        let old = sessions[listener]!
        // What is no frame has no cursor.
        let cursors = (told[listener] ?? []).compactMap { frame in
            (try? FrameCodec.decodeServer(Array(frame.dropFirst(4))))?.cursor
        }
        sessions[listener] = old + 1
        sequences[old + 1] = sequences[old]
        try turns([.close(session: old)])
        try open(old + 1, Self.devices[Int(listener.rawValue)], .app(Self.chat), cursor: cursors.last)
    }

    private func turns(_ requests: [LaneRequest]) throws {
        try worker.turn(taking: requests)
        while mailbox.count > 0 { try worker.turn(taking: mailbox.receive(until: .passed)) }
        for listener in Listener.allCases {
            let session = sessions[listener] ?? listener.rawValue
            told[listener, default: []] += connections.deliveries(session, worker.deliveries).map(Self.bytes)
        }
    }

    private static func bytes(_ delivery: SessionDelivery) -> [UInt8] {
        switch delivery {
        case .answered(let frame, _), .rows(let frame), .statuses(let frame), .control(let frame): frame
        default: Array("\(delivery)".utf8)
        }
    }

    // MARK: Events

    private func append(_ body: EventBody, _ app: AppID?, by session: UInt64) throws {
        if session == Self.secretary { ids.hidden += 1 } else { ids.shared += 1 }
        let number = session == Self.secretary ? ids.hidden : ids.shared
        sequences[session, default: 0] += 1
        try send(body, try Self.id(number), app, by: session)
    }

    private static func id(_ number: Int) throws -> EventID {
        EventID(try #require(UUID(uuidString: String(format: "00000000-0000-4000-8000-%012d", number))))
    }

    private func send(_ body: EventBody, _ id: EventID, _ app: AppID?, by session: UInt64) throws {
        // Each has its own moment: where two devices change the Focus at the same one, that of the greater id holds,
        // whichever came later.
        let frame = LaneSamples.append(
            session, [body], at: sequences[session] ?? 1, app: app, happenedAt: time.wall
        ) { id }
        try turns([.append(session: session, frame.request)])
    }

    /// What the app and its peers may see.
    private func share() throws {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &shared) }
        if mayKnow, pick(4) == 0 {
            isFocused.toggle()
            if isFocused {
                try append(.focusConfigured(FocusConfigured(focusID: "shared", name: "S")), nil, by: Self.agent)
            }
            return try append(
                .focusChanged(FocusChanged(focusID: "shared", isActive: isFocused)), nil, by: Self.agent)
        }
        let id = "n\(pick(6))"
        let body: EventBody =
            switch pick(12) {
            case 0: .notificationRead(NotificationIDs(ids: [id]))
            case 1: .notificationRemoved(NotificationIDs(ids: [id]))
            case 2: .badgeCleared
            case 3 where !mayKnow: .focusStatusReported(FocusStatusReported(isFocused: [nil, true, false][pick(3)]))
            case 4: .preferenceChanged(PreferenceChanged(key: "p\(pick(4))", value: .integer(Int64(pick(3)))))
            // It is refused: an app may not.
            case 5: .focusConfigured(FocusConfigured(focusID: "f", name: "F"))
            case 6:
                .audienceChanged(
                    pick(2) == 0 ? AudienceChanged(add: [Self.bob]) : AudienceChanged(remove: [Self.bob]))
            default:
                .notificationPosted(
                    NotificationPosted(
                        notificationID: id, title: "T\(pick(3))", body: "B",
                        level: InterruptionLevel.allCases.randomElement(using: &shared)!))
            }
        let session = sessions[pick(2) == 0 ? .phone : .tablet]!
        try append(body, Self.chat, by: session)
        // Some are sent twice, as after an answer that was lost.
        guard pick(5) == 0 else { return }
        try send(body, try Self.id(ids.shared), Self.chat, by: session)
    }

    /// What neither may know.
    private func hide() throws {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &secret) }
        hidden += 1
        let (other, id) = (Self.others[pick(4)], "n\(pick(6))")
        let (body, app): (EventBody, AppID?) =
            switch pick(14) {
            case 0:
                // Where the app may know of the Focus, one that tells nobody does not exist for it.
                (
                    .focusConfigured(
                        FocusConfigured(
                            focusID: "own\(pick(3))", name: "F\(hidden)", allowedApps: [other], sharesStatus: !mayKnow)),
                    nil
                )
            case 1, 2:
                if mayKnow, isFocused {
                    (.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: pick(2) == 0)), nil)
                } else {
                    (
                        .focusChanged(
                            FocusChanged(
                                focusID: "own\(pick(3))", isActive: pick(3) > 0,
                                endsAt: pick(2) == 0 ? nil : time.wall.adding(microseconds: Int64(pick(9)) * 1_000_000))
                        ),
                        nil
                    )
                }
            case 3:
                (.deliveryScheduleChanged(DeliveryScheduleChanged(times: [Int32(pick(1_440))], timeZone: "UTC")), nil)
            case 4:
                (.appRegistered(AppRegistered(name: "O\(hidden)", build: 1, declaredIntents: [.sendMessage])), other)
            case 5: (.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), other)
            case 6: (.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))), nil)
            case 7: (.appMuted(AppMuted(until: time.wall.adding(microseconds: 5_000_000))), other)
            case 8: (.notificationRemoved(NotificationIDs(ids: (0..<500).map { "\(hidden)-\($0)" })), other)
            case 9: (.preferenceChanged(PreferenceChanged(key: "p\(pick(4))", value: .integer(Int64(hidden)))), other)
            case 10:
                (.routeStarted(RouteStarted(routeID: "r\(hidden)", activity: "running", utcOffsetSeconds: 0)), other)
            case 11:
                (
                    .interactionDonated(
                        InteractionDonated(
                            interactionID: "i\(hidden)", direction: .outgoing,
                            intent: .sendMessage(SendMessage(conversationID: "c")),
                            startedAt: time.wall)), other
                )
            case 12: (.badgeCleared, other)
            default:
                (.notificationPosted(NotificationPosted(notificationID: id, title: "T", body: "B\(hidden)")), other)
            }
        try append(body, app, by: Self.secretary)
    }
}
