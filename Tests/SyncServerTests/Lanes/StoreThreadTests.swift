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

    @Test("Q1: a question that takes many steps delays another user's by one, and the user's own till it is through")
    func turns() async throws {
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        let done = NIOLockedValueBox<[String]>([])
        let begins = DispatchSemaphore(value: 0)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let thread = StoreThread<Piece>(
            "test", StoreConfiguration(PostgresConfiguration(conninfo: "")), logger: logger, isStopping: { false },
            owner: \.user
        ) { piece, _ in
            // Nothing is done before everything is asked.
            begins.wait()
            begins.signal()
            done.withLockedValue { $0.append(piece.name) }
            let rest = Piece(user: piece.user, name: piece.name, steps: piece.steps - 1)
            return (rest.steps > 0 ? rest : nil, 100)
        }
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
}
