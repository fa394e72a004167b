import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import Support
import Testing

@testable import SyncServer

/// The client library on a device whose clock is wrong.
@Suite("Fast clock", .fewAtATime) struct FastClockTests {
    @Test("E4: a device whose clock is an hour fast works, also with what it had queued before it heard a server")
    func anHourFast() async throws {
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let (user, hour) = (UserID.random(), Int64(3_600_000_000))
            var configuration = SyncClientConfiguration.patient(
                port: server.port, token: try TestServer.token(user, .random()))
            let ahead = NIOLockedValueBox(hour)
            configuration.clock = { Timestamp.now.adding(microseconds: ahead.withLockedValue { $0 }) }
            let client = try SyncClient(configuration: configuration, store: DeviceStore(directory: state + "/device"))
            let registered = EventDraft(.appRegistered(AppRegistered(name: "a", build: 1)), app: AppID("a"))
            try await client.enqueue([registered] + (0..<4).map(Self.draft))
            #expect(try await client.submitQueued().outcomes().allSatisfy(\.isAccepted))
            #expect(try await client.append((4..<8).map(Self.draft)).allSatisfy(\.isAccepted))
            // The clock stays wrong and is set now and then.
            for wrong in [24 * hour, -24 * hour, hour] {
                ahead.withLockedValue { $0 = wrong }
                #expect(try await client.append((8..<12).map(Self.draft)).allSatisfy(\.isAccepted))
            }
            await client.close()
            let logged = try await onThread { try server.events(of: user).filter { $0.device != .server } }
            #expect(logged.count == 21)
            // Rule E3: stamps are as if the clock were right, and in the order in which the events were made.
            #expect(logged.allSatisfy { $0.occurredAt <= $0.recordedAt.adding(microseconds: 10_000_000) })
            for (before, after) in zip(logged, logged.dropFirst()) { #expect(before.occurredAt < after.occurredAt) }
        }
    }

    private static func draft(_ number: Int) -> EventDraft {
        EventDraft(.preferenceChanged(PreferenceChanged(key: "k\(number)", value: .bool(true))), app: AppID("a"))
    }
}
