import FocusCore
import FocusSyncClient

// The code of FirstDevice.md, word for word; `WorkedExampleTests` compares the two.

func makeClient(token: String, server: ServerAddress, directory: String) throws -> SyncClient {
    let store = try DeviceStore(directory: directory)
    let configuration = SyncClientConfiguration(server: server, security: .plaintext, token: token)
    return try SyncClient(configuration: configuration, store: store)
}

func goToWork(_ client: SyncClient, app: AppID) async throws {
    try await client.focus.configure(FocusConfigured(focusID: "work", name: "Work"))
    try await client.focus.setActive("work")
    try await client.preferences(of: app).set(14, for: "fontSize")
}

func summary(_ client: SyncClient, app: AppID) async throws -> String {
    let focus = try await client.focus.active()?.focusID ?? "no Focus"
    let unread = try await client.notifications.unread(of: app).count
    let size = try await client.preferences(of: app)["fontSize", default: 12]
    return "\(focus), \(unread) unread, \(size) pt"
}

func follow(_ client: SyncClient, show: (String?) -> Void) async throws {
    for await batch in try await client.changes(of: .activeFocus) {
        for row in batch.rows {
            show(try row.value.map { try ActiveFocusRow(decoding: $0).focusID })
        }
    }
}

func record(_ client: SyncClient, app: AppID, points: [RoutePoint]) async throws {
    let route = try await client.route(of: app).start("running", utcOffsetSeconds: 3_600)
    try await route.insert(points)
    guard let first = points.first, let last = points.last else { return }
    try await route.finish(from: first.time, to: last.time)
}

func reportRefusals(_ client: SyncClient, report: (String) -> Void) async {
    for await refusal in await client.refusals() {
        if case .refused(let code, let message) = refusal.verdict {
            report("\(refusal.type): \(message) (\(code))")
        }
    }
}

func ring(_ client: SyncClient, play: (DeviceRing) -> Void) async {
    let rings = await client.rings()
    await client.reportActivity()
    for await ring in rings { play(ring) }
}

func end(_ client: SyncClient) async throws {
    await client.close()
    try client.store.close()
}
