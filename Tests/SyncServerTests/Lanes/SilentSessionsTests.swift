import EventStore
import FocusCore
import FocusWire
import Foundation
import Support
import Testing

@testable import SyncServer

/// Rule Z1 at a lane: the very bytes that sessions of an app are sent, and how many there are of them.
@Suite("LaneSessions: silence") struct SilentSessionsTests {
    private let anna = UserID(UUID())
    private let phone = DeviceID(UUID())
    private let agent = DeviceID(UUID())
    private let chat = AppID("com.example.chat")!

    /// A lane's sessions over a log, and an app's device that comes and goes.
    private final class Lane {
        let store = PartLog()
        let users = PartUsers()
        let time = PartTime()
        let connections = PartConnections()
        let format: LogFormat
        let sessions: LaneSessions
        /// What the app's session was sent.
        private(set) var frames: [[UInt8]] = []
        private var id: UInt64 = 0

        init(format: Int32) {
            let time = time
            self.format = LogFormat(format)
            var context = LaneSamples.context(time)
            context.format = self.format
            sessions = LaneSessions(
                context, DeliveryBatch(), confirmedAt: { time.now }, lastWaiting: { _ in .zero }, didEnd: { _ in })
        }

        /// Connects the device. Returns whether it is told that the log is behind.
        func connect(_ identity: Identity, cursor: Cursor? = nil) -> Bool {
            id += 1
            var opening = LaneSamples.opening(identity)
            opening.cursor = cursor
            sessions.enqueue(connections.handle(id), opening)
            sessions.admit(users) { user, version in
                try self.store.event(of: user.id, partition: user.partition, at: version)
            }
            return turn()
        }

        /// Sends all that is owed now, and a checkpoint a second later.
        @discardableResult
        func turn() -> Bool {
            var isBehind = false
            for step in 0..<2 {
                if step == 1 { time.advance(1_000) }
                for user in users.users.values { sessions.sendToAll(of: user) }
                _ = sessions.sendCheckpoints(users)
                for delivery in connections.deliveries(id, sessions.deliveries) {
                    switch delivery {
                    case .opened(let opened): isBehind = opened.logIsBehind
                    case .rows(let frame), .control(let frame): frames.append(frame)
                    default: Issue.record("\(delivery)")
                    }
                }
            }
            return isBehind
        }

        func messages() throws -> [ServerMessage] {
            try frames.map { try FrameCodec.decodeServer(Array($0.dropFirst(4))) }
        }
    }

    /// What the app may see: its registration, and notifications of its own.
    private func shared(_ lane: Lane, _ number: Int) throws {
        let body: EventBody =
            number == 0
            ? .appRegistered(AppRegistered(name: "Chat", build: 1))
            : .authorizationChanged(
                AuthorizationChanged(kind: .marketing, status: number % 2 == 0 ? .denied : .authorized))
        lane.store.append(body, of: anna, device: agent, app: chat)
        try lane.users.load(anna, from: lane.store)
        lane.turn()
    }

    private func hidden(_ lane: Lane) throws {
        let other = AppID("com.example.other")
        lane.store.appendFocus("work", of: anna, device: agent)
        lane.store.append(.focusChanged(FocusChanged(focusID: "work", isActive: true)), of: anna, device: agent)
        lane.store.append(.appRegistered(AppRegistered(name: "O", build: 1)), of: anna, device: agent, app: other)
        try lane.users.load(anna, from: lane.store)
        lane.turn()
    }

    private func play(format: Int32, hides: Bool) throws -> Lane {
        let lane = Lane(format: format)
        let identity = LaneSamples.identity(anna, phone, .app(chat))
        try lane.users.load(anna, from: lane.store)
        _ = lane.connect(identity)
        for number in 0..<5 {
            if hides { try hidden(lane) }
            try shared(lane, number)
        }
        if hides { try hidden(lane) }
        _ = lane.connect(identity, cursor: try #require(try lane.messages().last?.cursor))
        try shared(lane, 6)
        return lane
    }

    @Test("Z1: an app's session gets the same bytes, in the same frames, whatever happens out of its sight")
    func frames() throws {
        let quiet = try play(format: EventStore.silentFormat, hides: false)
        let busy = try play(format: EventStore.silentFormat, hides: true)
        #expect(quiet.frames.count > 10 && quiet.frames == busy.frames)
        // The earlier format tells: by versions, by events' ids, and by checkpoints.
        let loud = try play(format: EventStore.incarnationFormat, hides: true)
        #expect(loud.frames.count > busy.frames.count)
    }

    @Test("S6: that the log lost what a cursor names shows also where the format was raised since")
    func crossingWithLoss() throws {
        let lane = try play(format: EventStore.incarnationFormat, hides: true)
        let identity = LaneSamples.identity(anna, phone, .app(chat))
        let old = try #require(try lane.messages().last?.cursor)
        lane.format.raise(to: EventStore.silentFormat)
        var lost = old
        lost.version = Version(1_000)
        #expect(lane.connect(identity, cursor: lost))
        lost = old
        lost.event = .random()
        #expect(lane.connect(identity, cursor: lost))
        #expect(!lane.connect(identity, cursor: old))
        // What another view's version counts is not known.
        lost.view ^= 1
        #expect(!lane.connect(identity, cursor: lost))
    }

    @Test("S6: a server that has not heard of the format yet does not take a cursor of an app's stream for one of its own")
    func crossingBack() throws {
        let lane = try play(format: EventStore.silentFormat, hides: true)
        let cursor = try #require(try lane.messages().last?.cursor)
        let behind = Lane(format: EventStore.incarnationFormat)
        behind.store.events = lane.store.events
        try behind.users.load(anna, from: behind.store)
        #expect(!behind.connect(LaneSamples.identity(anna, phone, .app(chat)), cursor: cursor))
        #expect(try behind.messages().contains { if case .snapshotBegin = $0 { true } else { false } })
    }

    @Test("Z1: crossing over to the format gives each app session one snapshot, and no healing")
    func crossing() throws {
        let lane = try play(format: EventStore.incarnationFormat, hides: true)
        let identity = LaneSamples.identity(anna, phone, .app(chat))
        let before = try lane.messages()
        let old = try #require(before.last?.cursor)
        lane.format.raise(to: EventStore.silentFormat)
        // The session that was there goes on as it was.
        try shared(lane, 7)
        let same = try #require(try lane.messages().last?.cursor)
        #expect(same.view == old.view && same.version > old.version)

        #expect(!lane.connect(identity, cursor: same))
        let crossed = Array(try lane.messages()[before.count...].drop { !$0.isSnapshotBegin })
        #expect(crossed.count { $0.isSnapshotBegin } == 1)
        let new = try #require(crossed.last?.cursor)
        #expect(new.view != old.view && new.version < old.version)
        let count = lane.frames.count
        #expect(!lane.connect(identity, cursor: new))
        #expect(try lane.messages()[count...].allSatisfy { if case .checkpoint = $0 { true } else { false } })
        // A cursor of a stream that the log has lost the end of, and one beside it.
        var other = new
        other.version = new.version.next
        #expect(lane.connect(identity, cursor: other))
        other = new
        other.event = .random()
        #expect(lane.connect(identity, cursor: other))
    }
}

extension ServerMessage {
    fileprivate var isSnapshotBegin: Bool { if case .snapshotBegin = self { true } else { false } }

    /// Where the device stands once it has taken this.
    var cursor: Cursor? {
        switch self {
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .delta(_, _, let cursor), .checkpoint(let cursor, _):
            cursor
        default: nil
        }
    }
}
