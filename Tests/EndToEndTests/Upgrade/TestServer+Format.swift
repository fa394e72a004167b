import EventStore
import FocusSyncClient
import PostgresClient
import Support
import Testing

extension TestServer {
    /// Raises the log's format, and waits until a session that `open` begins is told.
    func raiseFormat(open: () async throws -> (client: WireClient, welcome: Welcome)) async throws {
        let format = try await onThread {
            let owner = try self.database()
            defer { owner.close() }
            return try Migrator.finish(on: owner)
        }
        #expect(format == EventStore.logFormats.upperBound)
        let deadline = ContinuousClock.now + .seconds(180)
        while true {
            let (client, welcome) = try await open()
            await client.close()
            guard welcome.protocolVersion < FocusSyncClient.protocolVersions.upperBound else { return }
            try #require(ContinuousClock.now < deadline)
        }
    }
}
