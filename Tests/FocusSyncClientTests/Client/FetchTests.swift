import FocusCore
import Testing

@testable import FocusSyncClient

@Suite("Fetches of the client") struct ClientFetchTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func live() -> ClientSession {
        var session = ClientSession(
            hello: Hello(
                minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone, incarnation: Incarnation(7),
                cursor: nil, collections: []),
            queue: QueueRange(acknowledged: .zero, last: .zero))
        _ = session.connected(now: at(0))
        _ = session.receive(
            .welcome(
                Welcome(
                    protocolVersion: 1, session: "s", log: Fixture.log, lastSequence: .zero,
                    maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: 64, heartbeatMilliseconds: 25_000,
                    serverTime: Timestamp(microseconds: 0), maximumFetches: 2)), now: at(1))
        return session
    }

    @Test("R6: an answer goes to whoever asked", arguments: [ErrorCode.notFound, .unavailable, .overloaded, .internal])
    func answers(code: ErrorCode) {
        var session = live()
        let fetched = Fetched(request: 3, version: Version(1), .speed(2))
        #expect(session.receive(.fetched(fetched), now: at(2)) == [.fetched(fetched)])
        let error = ProtocolError(code, "", request: 4)
        // A failed fetch affects neither the connection nor appends.
        #expect(session.receive(.error(error), now: at(3)) == [.fetchFailed(request: 4, error)])
        #expect(!session.isClosed && session.queued(through: DeviceSequence(1)).count == 1)
    }

    @Test("R1: questions wait for room, and are asked again on the next connection until they are answered")
    func pending() async throws {
        let answer = try await withCheckedThrowingContinuation { done in
            var fetches = PendingFetches()
            fetches.add(1, .routes(after: nil), done)
            #expect(fetches.next().isEmpty, "there is no connection")
            fetches.connected(limit: 1)
            #expect(fetches.next().map(\.id) == [1])
            #expect(fetches.next().isEmpty)
            fetches.connected(limit: 1)
            #expect(fetches.next().map(\.id) == [1], "the connection was lost before the answer")
            let mayRetry = fetches.refuse(1, ProtocolError(.unavailable, ""))
            #expect(mayRetry)
            #expect(fetches.next().isEmpty)
            fetches.retry(1)
            fetches.retry(1)
            #expect(fetches.next().map(\.id) == [1])
            fetches.resolve(Fetched(request: 9, version: .zero, .speed(1)))
            #expect(fetches.next().isEmpty)
            fetches.resolve(Fetched(request: 1, version: .zero, .rows([], more: false)))
            fetches.resolve(Fetched(request: 1, version: .zero, .speed(1)))
        }
        #expect(answer == .rows([], more: false))
    }

    @Test("R1: a server without fetches, or an answer that will not change, ends the call")
    func failures() async {
        for limit in [0, 1] {
            await #expect(throws: SyncClientError.self) {
                _ = try await withCheckedThrowingContinuation { done in
                    var fetches = PendingFetches()
                    fetches.add(1, .routes(after: nil), done)
                    fetches.connected(limit: limit)
                    if limit == 1 {
                        #expect(fetches.next().count == 1)
                        let mayRetry = fetches.refuse(1, ProtocolError(.notFound, ""))
                        #expect(!mayRetry)
                    }
                }
            }
        }
    }
}
