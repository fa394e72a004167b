import FocusCore
import Testing

@testable import FocusSyncClient

@Suite("PendingSubmissions")
struct PendingSubmissionsTests {
    private func event(_ number: Int64) -> QueuedEvent {
        let envelope = Envelope(
            id: Fixture.cursor(number).event, type: "t", app: nil, occurredAt: Fixture.clock, schemaVersion: 1,
            payload: [])
        return QueuedEvent(sequence: DeviceSequence(number), envelope: envelope)
    }

    private func outcome(_ number: Int64) -> AppendOutcome {
        AppendOutcome(
            sequence: DeviceSequence(number), event: event(number).envelope.id, type: "t", verdict: .accepted,
            version: Version(number))
    }

    @Test("Two calls that wait for one event are both answered, each in its order")
    func shared() async throws {
        var pending = PendingSubmissions()
        let (_, first) = pending.add([event(2), event(1)])
        let (_, second) = pending.add([event(1), event(2), event(3)])
        pending.resolve([outcome(1), outcome(2)])
        pending.resolve([outcome(3)])
        #expect(pending.isEmpty)
        // A call that still waits fails when the client closes.
        pending.failAll(.closed)
        #expect(try await first.outcomes() == [outcome(2), outcome(1)])
        #expect(try await second.outcomes() == [outcome(1), outcome(2), outcome(3)])
    }

    @Test("A call that gives up leaves the other waiting for the same event")
    func oneGivesUp() async throws {
        var pending = PendingSubmissions()
        let (_, patient) = pending.add([event(1)])
        let (id, hasty) = pending.add([event(1)])
        pending.fail(id, .closed)
        pending.resolve([outcome(1)])
        #expect(pending.isEmpty)
        pending.failAll(.closed)
        #expect(try await patient.outcomes() == [outcome(1)])
        await #expect(throws: SyncClientError.closed) { try await hasty.outcomes() }
    }
}
