import EventStore
import Foundation
import Logging
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import FocusCore
@testable import SyncServer

@Suite struct FetcherTests {
    private static let seconds = 20_000

    /// A finished route with a point a second, in chunks as it is stored.
    private static let chunks: [Int: [UInt8]] = {
        let points = (0..<seconds).map {
            RoutePoint(time: Timestamp(microseconds: Int64($0) * 1_000_000), latitude: 48, longitude: 11)
        }
        let starts = stride(from: 0, to: seconds, by: RouteChunk.capacity)
        return Dictionary(
            uniqueKeysWithValues: starts.enumerated().map { number, start in
                (number, RouteChunkCoding.bytes(of: Array(points[start..<min(seconds, start + RouteChunk.capacity)])))
            })
    }()

    /// A question about the speed in the first `seconds` of the route.
    private func work(_ id: UInt64, of user: UserID, seconds: Int) -> FetchWork {
        let route = AppItem(AppID("com.example.run")!, "route")
        let end = Timestamp(microseconds: Int64(seconds) * 1_000_000)
        let question = FetchQuestion.routeSpeed(route, from: Timestamp(microseconds: 0), to: end)
        return FetchWork(
            fetch: PendingFetch(session: 1, request: FetchRequest(id: id, question)), version: Version(1),
            chunks: .inState(Self.chunks), rows: RouteChunkRows(route, of: user, in: Partition(0), generation: 0),
            anchors: [:], user: user, search: nil)
    }

    @Test("Q1: a short question is answered before the long ones that another user asked earlier")
    func turns() async throws {
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        let answered = NIOLockedValueBox<[PendingFetch]>([])
        let fetcher = Fetcher(
            configuration: StoreConfiguration(PostgresConfiguration(conninfo: "")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isStopping: { false },
            report: { answer in answered.withLockedValue { $0.append(answer) } })
        // Nothing is done before everything is asked.
        for id in 1...4 { fetcher.post(work(UInt64(id), of: anna, seconds: Self.seconds)) }
        fetcher.post(work(5, of: ben, seconds: 60))
        fetcher.start()
        try await awaiting("all are answered") { answered.withLockedValue { $0.count } == 5 }
        fetcher.stop()
        let answers = answered.withLockedValue { $0 }
        #expect(answers.map(\.request.id) == [5, 1, 2, 3, 4])
        #expect(answers.allSatisfy { if case .frame? = $0.found { true } else { false } })
    }
}
