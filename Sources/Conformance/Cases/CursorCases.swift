import FocusCore
import Foundation

/// S4: what a cursor is good for, and what it is not.
enum CursorCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("S4", "a cursor of another log, another view, another history or the future gets a snapshot") {
            context in
            let (device, good) = try await prepared(context)
            let changes: [(String, @Sendable (inout Cursor) -> Void)] = [
                ("another log", { $0.log = LogID(UUID()) }), ("another view", { $0.view ^= 1 }),
                ("another event", { $0.event = .version7() }), ("the future", { $0.version = Version(99) }),
                ("an earlier version with a later event", { $0.version = Version(2) }),
                ("a negative version", { $0.version = Version(-1) }),
            ]
            for (what, change) in changes {
                var cursor = good
                change(&cursor)
                let first = try await context.open(device, cursor: cursor).connection.nextNews()
                try expect(first.isSnapshotBegin, "no snapshot for a cursor of \(what), but \(first)")
            }
        },
        ConformanceCase("S4", "a current cursor needs nothing but a checkpoint") { context in
            let (device, good) = try await prepared(context)
            let live = try await context.open(device, cursor: good)
            let first = try await live.connection.nextNews()
            guard case .checkpoint(let cursor, _) = first else { throw CaseFailure("not a checkpoint, but \(first)") }
            try expect(cursor == good, "the checkpoint's cursor is another one")
        },
        ConformanceCase("S4", "another class of device, scope or choice of collections is another view: a snapshot") {
            context in
            let (device, good) = try await prepared(context)
            var watch = device
            watch.deviceClass = .watch
            var fewer = device
            fewer.collections = [.badges]
            for other in [watch, fewer] {
                let first = try await context.open(other, cursor: good).connection.nextNews()
                try expect(first.isSnapshotBegin, "no snapshot for another view, but \(first)")
            }
        },
        ConformanceCase("S4", "a cursor that claims the system's view gives an app nothing that its token does not") {
            context in
            let (device, good) = try await prepared(context)
            let app = device.sibling(scope: .app(AppID("b")!))
            let live = try await context.open(app, cursor: good)
            try await context.open(device.sibling()).appendAccepted([.post("n2", app: "a")] + Envelope.setUp("b"))
            var replica = Replica()
            try await replica.follow(live.connection, "checkpoint behind its registration") {
                !$0.keys(of: .apps).isEmpty && $0.isConfirmed
            }
            try expect(
                replica.received.allSatisfy { $0.app == AppID("b") }, "it was sent rows of others: \(replica.received)")
        },
    ]

    /// A device that holds the rows of three events, and its cursor.
    private static func prepared(_ context: CaseContext) async throws -> (Device, Cursor) {
        let device = Device.ofNewUser()
        let live = try await context.open(device)
        let version = try await live.appendAccepted(Envelope.setUp("a") + [.post("n1", app: "a")])
        var replica = Replica()
        try await replica.follow(live.connection, to: version)
        guard let cursor = replica.cursor else { throw CaseFailure("no cursor") }
        try expect(cursor.log == live.welcome.log, "the cursor's log is not Welcome's")
        return (device, cursor)
    }
}
