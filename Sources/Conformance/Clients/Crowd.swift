import FocusCore

/// A user with more rows than any connection's buffers hold, made once for all cases that need one.
actor Crowd {
    /// The number of notifications, which make 8.4 MB of rows: twice what Linux gives a socket to send (`tcp_wmem`),
    /// and many pages of any server.
    static let notifications = 600
    private static let bodyBytes = 14_000

    struct Heavy: Sendable {
        /// A device of the user; the rows are of the app "heavy".
        let device: Device
        /// A cursor from before the rows were there.
        let early: Cursor
        /// The user's version with all rows.
        let version: Version
    }

    private var making: Task<Heavy, any Error>?

    func heavy(_ context: CaseContext) async throws -> Heavy {
        let task = making ?? Task { try await Self.make(context) }
        making = task
        return try await task.value
    }

    private static func make(_ context: CaseContext) async throws -> Heavy {
        let device = Device.ofNewUser()
        let live = try await context.open(device)
        var version = try await live.appendAccepted(Envelope.setUp("heavy"))
        var early = try await live.connection.cursor()
        while early.version < version { early = try await live.connection.cursor() }
        let body = String(repeating: "x", count: bodyBytes)
        for first in stride(from: 0, to: notifications, by: 20) {
            version = try await live.appendAccepted(
                (first..<first + 20).map { .post("n\($0)", app: "heavy", body: body) })
        }
        return Heavy(device: device, early: early, version: version)
    }
}
