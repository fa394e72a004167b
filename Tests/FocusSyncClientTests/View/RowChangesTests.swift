import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

/// The limit is far more than a loaded machine takes: a change that never comes would be waited for without end.
@Suite("RowChanges", .timeLimit(.minutes(3)))
struct RowChangesTests {
    private static let keys = (0..<4).map { RowKey(.preferences, key: "k\($0)") }

    private func row(_ number: Int, _ value: UInt8?) -> LocalRow {
        LocalRow(key: Self.keys[number], value: value.map { [$0] })
    }

    @Test("Current values come first, be there any or not; then changes")
    func currentFirst() async {
        let empty = RowObserver(nil, current: [])
        #expect(await empty.next() == RowChanges.Element(rows: [], isInitial: true))
        let observer = RowObserver(.preferences, current: [row(0, 1), row(1, 1)])
        observer.publish([row(1, 2), LocalRow(key: RowKey(.activeFocus), value: [9])])
        #expect(await observer.next() == RowChanges.Element(rows: [row(0, 1), row(1, 2)], isInitial: true))
        observer.publish([row(0, nil)])
        #expect(await observer.next() == RowChanges.Element(rows: [row(0, nil)], isInitial: false))
    }

    @Test("A slow reader gets the newest value of each row, and never hears of what came and went")
    func newest() async {
        let observer = RowObserver(nil, current: [row(0, 1)])
        _ = await observer.next()
        for value in 0..<100 { observer.publish([row(0, UInt8(value)), row(1, UInt8(value))]) }
        observer.publish([row(1, nil), row(2, 7), row(0, nil)])
        #expect(await observer.next()?.rows == [row(0, nil), row(2, 7)])
    }

    @Test("A cancelled or finished sequence ends; what it was given before still comes")
    func ends() async {
        let observer = RowObserver(nil, current: [])
        let reader = Task {
            var count = 0
            for await _ in RowChanges(observer: observer) { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value <= 1)
        let finished = RowObserver(nil, current: [row(0, 1)])
        finished.finish()
        #expect(await finished.next()?.rows == [row(0, 1)])
        #expect(await finished.next() == nil)
    }

    @Test("The client tells each observer its collection at once, though no server answers; close ends them")
    func observers() async throws {
        let directory = try TemporaryDirectory()
        let client = try Fixture.unconnectedClient(directory)
        let app = try #require(AppID("com.example.app"))
        var preferences = try await client.changes(of: .preferences).makeAsyncIterator()
        var all = try await client.changes().makeAsyncIterator()
        #expect(await preferences.next()?.isInitial == true)
        #expect(await all.next()?.isInitial == true)
        try await client.preferences(of: app).set("x", for: "k")
        try await client.focus.setActive("work")
        let key = RowKey(.preferences, app: app, key: "k")
        let value = PreferenceRow(value: .string("x")).encoded
        #expect(await preferences.next()?.rows == [LocalRow(key: key, value: value, isPredicted: true)])
        // A Focus that is not configured cannot be active, so there is no row for it.
        #expect(await all.next()?.rows.map(\.key) == [key])
        var late = try await client.changes(of: .preferences).makeAsyncIterator()
        #expect(await late.next()?.rows.map(\.key) == [key])
        await client.close()
        #expect(await preferences.next() == nil)
        #expect(await late.next() == nil)
        #expect(try client.store.queued().count == 2)
    }

    /// The backoff is far more than the suite's time limit.
    @Test("When the network changes the next attempt is made at once")
    func networkChange() async throws {
        let directory = try TemporaryDirectory()
        let (attempts, failed) = AsyncStream.makeStream(of: Void.self)
        let client = try Fixture.unconnectedClient(directory) {
            $0.backoff = ReconnectBackoff(ceiling: 86_400_000...86_400_000)
            $0.maximumAttempts = nil
            $0.onUpdate = { update in
                if case .disconnected = update { failed.yield() }
            }
        }
        await client.start()
        var iterator = attempts.makeAsyncIterator()
        for _ in 0..<5 {
            let attempt: Void? = await iterator.next()
            #expect(attempt != nil, "no further attempt is made")
            await client.networkDidChange()
        }
        await client.close()
    }
}
