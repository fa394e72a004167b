import CScheduler
import PostgresClient
import Support
import Testing

@testable import EventStore

/// Whose priority the processes of PostgreSQL have that work for a thread.
@Suite("Priorities of backends") struct BackendPriorityTests {
    /// Connects on a thread, which is to be joined, with a slice of 0.3 ms and this niceness. The body gets what the
    /// backend has.
    private func withBackend(
        of configuration: StoreConfiguration, nice: Int32 = 0, _ body: @escaping @Sendable (scheduling_attributes) -> Void
    ) throws -> PostgresThread {
        try PostgresThread(name: "prompt") {
            do {
                var (thread, backend) = (scheduling_attributes(), scheduling_attributes())
                #expect(scheduling_get(0, &thread) == 0)
                (thread.runtime, thread.nice) = (300_000, nice)
                #expect(scheduling_set(0, &thread) == 0)
                let connection = try configuration.connect()
                defer { connection.close() }
                #expect(scheduling_get(connection.backendPID, &backend) == 0)
                body(backend)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("Q1: on our own machine a backend has the slice of the thread that it works for, and is no nicer")
    func shared() throws {
        let configuration = try StoreFixture().configuration
        let slices = Recorder<UInt64>()
        let record = { @Sendable (backend: scheduling_attributes) in
            #expect(backend.nice == 0)
            slices.add(backend.runtime)
        }
        try withBackend(of: configuration, record).join()
        try withBackend(of: configuration.sharingProcessors.named("prompt"), record).join()
        try #require(slices.values.count == 2)
        let (others, ours) = (slices.values[0], slices.values[1])
        // A kernel without slices says 0 for both.
        #expect(others == 0 && ours == 0 || ours == 300_000 && others != ours, "\(slices.values)")
    }

    @Test("Q1: a backend of a nice thread is not nicer, as others may wait for locks that it holds")
    func neverNicer() throws {
        let nice = Recorder<Int32>()
        let configuration = try StoreFixture().configuration.sharingProcessors.named("nice")
        try withBackend(of: configuration, nice: 10) { nice.add($0.nice) }.join()
        #expect(nice.values == [0])
    }

    @Test("A backend whose priority is lowered is nicer by so much, and 19 at most")
    func lowered() throws {
        let connection = try StoreFixture().configuration.connect()
        defer { connection.close() }
        var attributes = scheduling_attributes()
        for (niceness, expected) in [(Int32(5), Int32(5)), (14, 19), (1, 19)] {
            connection.lowerPriority(niceness)
            #expect(scheduling_get(connection.backendPID, &attributes) == 0 && attributes.nice == expected)
        }
    }
}
