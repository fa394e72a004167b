import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// The order in which a thread beside a lane does what users ask.
@Suite struct StoreThreadTests {
    private struct Piece: Sendable {
        var user: UserID
        var name: String
        var steps: Int
    }

    /// A thread that notes what it does, each piece when there is a `permission`.
    private func thread(
        restPerWork: Double = 0, _ done: NIOLockedValueBox<[String]>, _ permission: DispatchSemaphore
    ) -> StoreThread<Piece> {
        StoreThread<Piece>(
            "test", StoreConfiguration(PostgresConfiguration(conninfo: "")), restPerWork: restPerWork,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isStopping: { false }, owner: \.user
        ) { piece, _ in
            permission.wait()
            permission.signal()
            done.withLockedValue { $0.append(piece.name) }
            let rest = Piece(user: piece.user, name: piece.name, steps: piece.steps - 1)
            return (rest.steps > 0 ? rest : nil, 100)
        }
    }

    @Test("Q1: a question that takes many steps delays another user's by one, and the user's own till it is through")
    func turns() async throws {
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        let done = NIOLockedValueBox<[String]>([])
        let begins = DispatchSemaphore(value: 0)
        let thread = thread(done, begins)
        thread.start()
        thread.post(Piece(user: anna, name: "long", steps: 10))
        thread.post(Piece(user: anna, name: "after", steps: 1))
        thread.post(Piece(user: ben, name: "short", steps: 1))
        begins.signal()
        try await awaiting("all are done") { done.withLockedValue { $0.count } == 12 }
        thread.stop()
        let order = done.withLockedValue { $0 }
        #expect((order.firstIndex(of: "short") ?? 99) <= 2)
        #expect(order.last == "after")
    }

    @Test("Q1: a user who alone asks for more rests between two pieces; another's piece goes meanwhile")
    func rests() async throws {
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        let done = NIOLockedValueBox<[String]>([])
        // The rest after a piece outlasts the test.
        let thread = thread(restPerWork: 1e9, done, DispatchSemaphore(value: 1))
        thread.start()
        thread.post(Piece(user: anna, name: "first", steps: 2))
        try await awaiting("the first step is done") { done.withLockedValue { !$0.isEmpty } }
        thread.post(Piece(user: ben, name: "another", steps: 1))
        try await awaiting("the other user's piece is done") { done.withLockedValue { $0.count } > 1 }
        #expect(done.withLockedValue { $0.prefix(2) } == ["first", "another"])
        thread.stop()
    }
}
