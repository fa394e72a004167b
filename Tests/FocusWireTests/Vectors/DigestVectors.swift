import FocusCore
import Testing

/// Rows that come and go, with their hashes and the digests that they add up to: `Schema/samples/digests.txt`.
struct DigestVectors {
    private var lines = [
        "# Rows of a device as they come and go, and the digests of what it then holds (S9). A test makes this file",
        "# from the server's code; the rows of system, app and watch are those of one user. `-` is an empty text.",
        "# set NAME                            a device that holds nothing",
        "# put COLLECTION APP KEY VALUE HASH   a row comes, in place of one that it may hold; the row's own hash",
        "# delete COLLECTION APP KEY           a row goes, or was never there",
        "# digest COLLECTION COUNT DIGEST      what a checkpoint says of the collection now",
    ]
    private var held: [RowKey: [UInt8]] = [:]

    static func file() throws -> VectorFile {
        var vectors = DigestVectors()
        vectors.sums()
        vectors.orders()
        vectors.bytes()
        try vectors.views()
        return VectorFile(name: "digests.txt", text: vectors.lines.joined(separator: "\n") + "\n")
    }

    // MARK: By hand

    private mutating func sums() {
        begin("sums")
        let (work, sleep) = (RowKey(.focuses, key: "work"), RowKey(.focuses, key: "sleep"))
        digest(.focuses)
        put(work, focus("Work"))
        digest(.focuses)
        put(sleep, focus("Sleep"))
        digest(.focuses)
        put(work, focus("Office"))
        digest(.focuses)
        delete(sleep)
        digest(.focuses)
        delete(sleep)
        digest(.focuses)
        delete(work)
        digest(.focuses)
    }

    /// The same rows in two orders have one digest; so have two whose values are exchanged another one.
    private mutating func orders() {
        let rows = [(RowKey(.focuses, key: "work"), focus("Work")), (RowKey(.focuses, key: "sleep"), focus("Sleep"))]
        begin("order")
        for (key, value) in rows { put(key, value) }
        digest(.focuses)
        begin("reversed")
        for (key, value) in rows.reversed() { put(key, value) }
        digest(.focuses)
        begin("exchanged")
        put(rows[0].0, rows[1].1)
        put(rows[1].0, rows[0].1)
        digest(.focuses)
    }

    /// Keys are bytes: two spellings of one letter are two rows. An empty value is a row.
    private mutating func bytes() {
        begin("bytes")
        let app = AppID("com.example.messages")
        put(RowKey(.suggestions, app: app, key: "zo\u{EB}"), [8, 1])
        put(RowKey(.suggestions, app: app, key: "zoe\u{308}"), [8, 1])
        put(RowKey(.suggestions, key: "zo\u{EB}"), [8, 1])
        digest(.suggestions)
        put(RowKey(.focusVisibility, app: app), [])
        digest(.focusVisibility)
        put(RowKey(.focuses, key: "long"), Array(repeating: 0xAB, count: 300))
        digest(.focuses)
    }

    private func focus(_ name: String) -> [UInt8] {
        FocusRow(FocusConfigured(focusID: "", name: name, sharesStatus: true)).encoded
    }

    // MARK: What sessions of one user hold

    private mutating func views() throws {
        var state = try Self.state()
        let device = DeviceID(SampleEvents.id(1))
        let app = try SampleEvents.app("com.example.messages")
        try hold("system", View(scope: .system, device: device, deviceClass: .phone), of: &state)
        try hold("app", View(scope: .app(app), device: device, deviceClass: .phone).silenced, of: &state)
        // Hides previews, so its notifications have other bytes (rule N13).
        try hold("watch", View(scope: .system, device: device, deviceClass: .watch), of: &state)
    }

    private mutating func hold(_ name: String, _ view: View, of state: inout UserState) throws {
        begin(name)
        let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: 1 << 20)
        try #require(page.isComplete)
        for row in page.rows { put(row.key, try #require(row.value)) }
        for digest in state.digests(in: view) { line(digest) }
    }

    /// A user of two apps, each with a notification, on whose watches previews are hidden.
    private static func state() throws -> UserState {
        var state = UserState(user: UserID(SampleEvents.id(2)))
        func log(_ body: EventBody, _ app: AppID? = nil) throws {
            let (device, incarnation) = (DeviceID(SampleEvents.id(1)), Incarnation(1))
            let event = Event(
                version: state.version.next, device: device, incarnation: incarnation,
                sequence: state.lastSequence(of: device, incarnation: incarnation).next,
                id: EventID(SampleEvents.id(UInt8(state.version.next.rawValue))), app: app,
                occurredAt: SampleEvents.time.adding(microseconds: state.version.rawValue),
                recordedAt: SampleEvents.time.adding(microseconds: 1_000_000), body: body)
            _ = try state.apply(event)
        }
        for (name, title) in [("com.example.messages", "Messages"), ("com.example.mail", "Mail")] {
            let app = try SampleEvents.app(name)
            try log(.appRegistered(AppRegistered(name: title, build: 1, declaredIntents: [], capabilities: [])), app)
            try log(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app)
            try log(.notificationPosted(NotificationPosted(notificationID: "n1", title: "Zoë", body: "Lunch?")), app)
        }
        try log(.notificationSettingsChanged(NotificationSettingsChanged(deviceClass: .watch, previews: .never)))
        return state
    }

    // MARK: Lines

    private mutating func begin(_ name: String) {
        held = [:]
        lines.append("set \(name)")
    }

    private mutating func put(_ key: RowKey, _ value: [UInt8]) {
        held[key] = value
        var digest = Digest()
        digest += RowHash(key, value: value)
        lines.append("put \(text(key)) \(value.vectorText) \(digest)")
    }

    private mutating func delete(_ key: RowKey) {
        held[key] = nil
        lines.append("delete \(text(key))")
    }

    private mutating func digest(_ collection: RowCollection) {
        var digest = Digest()
        let rows = held.filter { $0.key.collection == collection }
        for (key, value) in rows { digest += RowHash(key, value: value) }
        line(CollectionDigest(collection: collection, count: UInt64(rows.count), digest: digest))
    }

    private mutating func line(_ digest: CollectionDigest) {
        lines.append("digest \(digest.collection.rawValue) \(digest.count) \(digest.digest)")
    }

    private func text(_ key: RowKey) -> String {
        "\(key.collection.rawValue) \((key.app?.rawValue ?? "").vectorText) \(key.key.vectorText)"
    }
}
