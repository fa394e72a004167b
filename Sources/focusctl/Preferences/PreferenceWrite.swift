import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// Appends one event and shows the row that results.
struct PreferenceWrite {
    let body: EventBody
    let key: RowKey

    func run(_ connection: ConnectionOptions, _ app: AppID, asJSON: Bool) async throws {
        let client = try connection.makeClient()
        do {
            let outcomes = try await client.append([EventDraft(body, app: app)])
            let version = try PreferenceOutcome.version(outcomes, app)
            try await client.synchronize(through: version)
            let row = try client.store.row(key)
            let value = try row.map { try PreferenceText.value($0.value, of: key) }
            Terminal.line(try PreferenceText.line(key, value, row?.version ?? version, asJSON: asJSON))
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }
}
