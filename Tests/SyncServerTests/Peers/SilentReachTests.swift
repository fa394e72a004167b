import EventStore
import FocusCore
import FocusWire
import Foundation
import SeededNumbers
import Testing

@testable import SyncServer

/// Rules Z1 and F6 at a lane: the very bytes that who asks is sent, over pairs of histories that differ only in what
/// the asker may not know.
@Suite("Would it reach you: silence") struct SilentReachTests {
    private static let chat = AppID("com.example.chat")!
    private static let mail = AppID("com.example.mail")!
    private static let start: Int64 = 1_800_000_000_000_000

    /// A history of Anna at a lane, and what members and strangers are answered.
    private final class Side {
        let anna: UserID
        let askers: [UserID]
        private let log = PartLog()
        private let users = PartUsers()
        private let time = PartTime()
        private let connections = PartConnections()
        private let deliveries = DeliveryBatch()
        private let context: LaneContext
        private let watchers: LaneWatchers
        private var secret: SplitMix64
        private(set) var frames: [[UInt8]] = []
        private(set) var hidden = 0

        init(_ anna: UserID, _ askers: [UserID], secret: UInt64) {
            (self.anna, self.askers) = (anna, askers)
            self.secret = SplitMix64(seed: secret)
            context = LaneSamples.context(time)
            watchers = LaneWatchers(context, deliveries)
        }

        func say(_ body: EventBody, _ app: AppID? = chat) {
            _ = log.append(body, of: anna, device: body.type.isServers ? .server : DeviceID(anna.uuid), app: app)
        }

        /// What nobody whom Anna shares her status with may know.
        func hide(isFocused: Bool) {
            hidden += 1
            switch Int.random(in: 0..<6, using: &secret) {
            case 0:
                say(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: Bool.random(using: &secret))), nil)
            case 1:
                // Another name, and other people, of the Focus that is on; one that tells nobody, while none is.
                let focus = FocusConfigured(
                    focusID: isFocused ? "f" : "own", name: "N\(hidden)", allowedApps: [mail],
                    allowedPeople: ["p\(hidden)"], sharesStatus: isFocused)
                say(.focusConfigured(focus), nil)
            case 2:
                guard !isFocused else { return }
                let end = Timestamp(microseconds: start + Int64.random(in: 0..<9_000_000_000, using: &secret))
                say(.focusChanged(FocusChanged(focusID: "own", isActive: true, endsAt: end)), nil)
            case 3:
                let activity = DeviceActivity(
                    device: DeviceID(anna.uuid), scope: .system, deviceClass: .phone, app: chat)
                say(.deviceActivity(activity), nil)
            case 4: say(.appMuted(AppMuted(until: Timestamp(microseconds: .max))), mail)
            default:
                say(.deliveryScheduleChanged(DeliveryScheduleChanged(times: [Int32(hidden)], timeZone: "UTC")), nil)
            }
        }

        /// Everybody asks everything, and so much later that no earlier answer counts.
        func ask() throws {
            time.advance(RecentReaches.milliseconds)
            context.freshness.confirm(lane: 0, at: time.now)
            try users.load(anna, from: log)
            var questions = InterruptionLevel.allCases.map { ReachQuestion(user: anna, app: chat, level: $0) }
            questions.append(ReachQuestion(user: anna, app: chat, isCommunication: true))
            for (session, asker) in askers.enumerated() {
                for (number, question) in questions.enumerated() {
                    watchers.ask(
                        PeerQuestion(
                            connections.handle(UInt64(session)), Viewer(user: asker, scope: .app(chat)),
                            request: UInt64(number), question))
                }
            }
            watchers.answerQuestions(users)
            for session in askers.indices {
                for delivery in connections.deliveries(UInt64(session), deliveries) {
                    if case .reach(let frame) = delivery { frames.append(frame) }
                }
            }
        }
    }

    /// What both sides have, in the same order.
    private func share(_ sides: [Side], _ random: inout SplitMix64, _ isFocused: inout Bool) {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let (kind, choice, end) = (pick(6), pick(2) == 0, Self.start + Int64(pick(9)) * 1_000_000_000)
        if kind == 0 { isFocused = choice }
        for side in sides {
            switch kind {
            case 0 where isFocused:
                side.say(
                    .focusConfigured(FocusConfigured(focusID: "f", name: "F", allowedPeople: [], sharesStatus: true)),
                    nil)
                side.say(
                    .focusChanged(
                        FocusChanged(focusID: "f", isActive: true, endsAt: Timestamp(microseconds: end))), nil)
            case 0: side.say(.focusChanged(FocusChanged(focusID: "f", isActive: false)), nil)
            case 1: side.say(choice ? .appMuted(AppMuted(until: Timestamp(microseconds: .max))) : .appUnmuted)
            case 2:
                side.say(
                    .audienceChanged(
                        choice
                            ? AudienceChanged(add: [side.askers[0]]) : AudienceChanged(remove: [side.askers[0]])))
            case 3: side.say(.notificationSettingsChanged(NotificationSettingsChanged(alerts: choice ? .on : .off)))
            default: break
            }
        }
    }

    @Test("Z1, F6: they are answered with the same bytes, request by request", arguments: 1...30 as ClosedRange<UInt64>)
    func pairs(_ seed: UInt64) throws {
        let (anna, askers) = (UserID(UUID()), (0..<2).map { _ in UserID(UUID()) })
        let sides = [Side(anna, askers, secret: seed * 2), Side(anna, askers, secret: seed * 2 + 1)]
        var (shared, isFocused) = (SplitMix64(seed: seed), false)
        for side in sides {
            let registered = AppRegistered(
                name: "Chat", build: 1, capabilities: [.communication, .timeSensitive, .critical],
                focusStatusUsageDescription: "why")
            side.say(.appRegistered(registered))
            side.say(.appRegistered(AppRegistered(name: "Mail", build: 1)), Self.mail)
            for kind in [AuthorizationKind.notifications, .focusStatus] {
                side.say(.authorizationChanged(AuthorizationChanged(kind: kind, status: .authorized)))
            }
            side.say(.audienceChanged(AudienceChanged(add: [askers[0]])))
        }
        for _ in 0..<40 {
            share(sides, &shared, &isFocused)
            for side in sides {
                for _ in 0..<3 { side.hide(isFocused: isFocused) }
                try side.ask()
            }
        }
        #expect(sides[0].frames.count == 40 * 10)
        let parted = zip(sides[0].frames, sides[1].frames).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(parted == nil, "seed \(seed), answer \(parted?.offset ?? 0)")
        let strangers = Set(sides.flatMap(\.frames).filter { FrameCodec.isUntold($0) })
        #expect(strangers.count == 5, "one answer to each of the five questions")
        #expect(Set(sides[0].frames).count > 5, "seed \(seed): nothing but that is ever said")
    }
}

extension EventType {
    /// Whether the server appends it, and its device is none.
    fileprivate var isServers: Bool { self == .deviceActivity }
}

extension FrameCodec {
    fileprivate static func isUntold(_ frame: [UInt8]) -> Bool {
        (0..<5 as Range<UInt64>).contains { request in
            FrameCodec.frame(ServerMessage.fetched(Fetched(request: request, version: .zero, .reach(.untold)))) == frame
        }
    }
}
