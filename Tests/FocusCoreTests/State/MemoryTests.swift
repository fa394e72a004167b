import Foundation
import Testing

@testable import FocusCore

/// What counts of a user's state. Each test adds so much of one kind that nothing else matters, and holds the count against
/// the bytes that were added.
@Suite("Memory of a user") struct MemoryTests {
    private func long(_ number: Int, _ bytes: Int = 1_000) -> String {
        "\(number) " + String(repeating: "x", count: bytes - "\(number) ".utf8.count)
    }

    /// Expects that what `add` brings is counted with at least `bytes`, and at most four times as much; and that a state
    /// that is loaded from its rows counts as much as the one that was folded.
    private func expectCounted(_ bytes: Int, _ add: (inout Stage) -> Void) throws {
        var stage = Stage.ready()
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts] {
            stage.authorize(kind, .authorized, .chat, at: 0)
        }
        let before = stage.state.approximateBytes
        add(&stage)
        let counted = stage.state.approximateBytes - before
        #expect(counted >= bytes && counted <= 4 * bytes, "counted \(counted) of \(bytes)")
        let state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        let loaded = state.approximateBytes - before
        #expect(loaded >= bytes && loaded <= 4 * bytes, "after loading, counted \(loaded) of \(bytes)")
    }

    @Test("Q4: points of open routes are counted")
    func points() throws {
        let points = (0..<9_000).map { RouteFixtures.point(at: Double($0) + 1, north: Double($0)) }
        try expectCounted(points.count * MemoryLayout<RoutePoint>.stride) { stage in
            let started = stage.send(
                .routeStarted(RouteStarted(routeID: "r", activity: "run", utcOffsetSeconds: 0)), app: .chat, at: 1)
            #expect(started == nil)
            for first in stride(from: 0, to: points.count, by: 3_000) {
                let some = Array(points[first..<first + 3_000])
                let inserted = stage.send(
                    .routeLocationsInserted(RouteLocationsInserted(routeID: "r", points: some)), app: .chat, at: 1e4)
                #expect(inserted == nil)
            }
        }
    }

    @Test("Q4: ids of removed notifications are counted")
    func removed() throws {
        try expectCounted(2_000 * 1_000) { stage in
            for first in [0, 1_000] {
                let ids = (first..<first + 1_000).map { long($0) }
                stage.send(.notificationRemoved(NotificationIDs(ids: ids)), app: .chat, at: 1)
            }
        }
    }

    @Test("Q4: deletions of interactions and of conversations are counted")
    func deleted() throws {
        try expectCounted(1_300 * 1_000) { stage in
            stage.send(.interactionDeleted(.ids((0..<1_000).map { long($0) })), app: .chat, at: 1)
            for number in 0..<300 { stage.send(.interactionDeleted(.conversation(long(number))), app: .chat, at: 1) }
        }
    }

    @Test("Q4: registered defaults and set preferences are counted")
    func preferences() throws {
        try expectCounted(60 * 4_000) { stage in
            let entries = (0..<30).map {
                PropertyDictionary.Entry("key \($0)", .string(long($0, 4_000)))
            }
            stage.send(
                .preferencesRegistered(PreferencesRegistered(build: 1, defaults: PropertyDictionary(entries)!)),
                app: .chat, at: 1)
            for number in 30..<60 {
                let value = PropertyValue.string(long(number, 4_000))
                stage.send(.preferenceChanged(PreferenceChanged(key: "key \(number)", value: value)), app: .chat, at: 1)
            }
        }
    }

    @Test("Q4: donations and the people in them are counted")
    func donations() throws {
        try expectCounted(1_000 * 1_500) { stage in
            for number in 0..<1_000 {
                let people = [Person(handle: long(number, 250), displayName: long(number, 250))]
                stage.send(
                    .interactionDonated(
                        InteractionDonated(
                            interactionID: "i\(number)", direction: .outgoing,
                            intent: .sendMessage(SendMessage(conversationID: "c", recipients: people)),
                            startedAt: .at(1))),
                    app: .chat, at: 1)
            }
        }
    }

    @Test("Q4: what a device is told of its refused events is counted")
    func refused() throws {
        try expectCounted(256 * 500) { stage in
            for number in 0..<256 {
                stage.send(.notificationRead(NotificationIDs(ids: ["n\(number)"])), app: .mail, at: 1)
            }
        }
    }
}
