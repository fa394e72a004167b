import EventStore
import FocusSyncClient
import PostgresClient
import Support
import Testing

@testable import SyncServer

extension TestServer {
    /// Raises the log's format, and waits until a session that `open` begins is told of it.
    func raiseFormat(open: () async throws -> (client: WireClient, welcome: Welcome)) async throws {
        let format = try await onThread {
            let owner = try self.database()
            defer { owner.close() }
            return try Migrator.finish(on: owner)
        }
        #expect(format == EventStore.logFormats.upperBound)
        // Without asking it as a device: a device may begin so many sessions a minute (rule Q5).
        try await awaiting("the server knows the format") { server.context.format.isNewest }
        let (client, welcome) = try await open()
        await client.close()
        #expect(welcome.protocolVersion == FocusSyncClient.protocolVersions.upperBound)
    }
}
