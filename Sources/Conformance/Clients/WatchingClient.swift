import FocusCore

/// A device that watches other users, and keeps everything that it is told. For one task.
final class WatchingClient {
    /// One status, as the server told it.
    struct Told {
        let status: PeerStatus
        let serverTime: Timestamp
        let validUntil: Timestamp
    }

    let user: UserID
    private(set) var told: [Told] = []
    private let connection: RawConnection

    /// - Parameter isApp: whether it is a session of the app that `Sharing` shares in; else of the system.
    init(_ context: CaseContext, isApp: Bool = true) async throws {
        var device = Device.ofNewUser()
        if isApp, let app = Sharing.appID { device.scope = .app(app) }
        user = device.user
        connection = try await context.open(device).connection
    }

    func watch(_ users: [UserID]) async throws { try await connection.send(.watch(users)) }
    func unwatch(_ users: [UserID]) async throws { try await connection.send(.unwatch(users)) }

    func told(of user: UserID) -> [Told] { told.filter { $0.status.user == user } }
    func latest(_ user: UserID) -> PeerStatus? { told.last { $0.status.user == user }?.status }
    /// Whether the latest status is available, and this one.
    func knows(_ user: UserID, _ isFocused: Bool) -> Bool { latest(user)?.isFocused == isFocused }
    func knowsNothing(of user: UserID) -> Bool { latest(user).map { $0.isFocused == nil } ?? false }

    /// Listens until `isEnough`; throws when that takes longer than `seconds`.
    func listen(_ what: String, within seconds: Double? = nil, until isEnough: (WatchingClient) -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(seconds ?? connection.patience))
        while !isEnough(self) {
            do {
                try apply(try await connection.next(within: max(0, (end - clock.now).inSeconds)))
            } catch let silence as Silence {
                throw CaseFailure("not told \(what): \(silence); told so far: \(told.suffix(6).map(\.text))")
            }
        }
    }

    /// Listens for so many seconds, whatever comes.
    func listen(seconds: Double) async throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(seconds))
        do {
            while true { try apply(try await connection.next(within: max(0, (end - clock.now).inSeconds))) }
        } catch Silence.late {
            return
        }
    }

    /// Sends Watch again, and listens until it is answered.
    /// - Parameter seconds: the limit. Below the 20 s after which a status is told again anyway (V3), it proves that
    ///   Watch was answered; nil: the patience of the connection.
    func ask(_ user: UserID, within seconds: Double? = nil) async throws {
        let count = told(of: user).count
        try await watch([user])
        try await listen("the status that it asked for", within: seconds) { $0.told(of: user).count > count }
    }

    func expectError(_ code: ErrorCode, _ when: String) async throws {
        _ = try await connection.expectError(code, when)
    }

    private func apply(_ message: ServerMessage) throws {
        if case .peerStatuses(let statuses) = message {
            told += statuses.statuses.map {
                Told(status: $0, serverTime: statuses.serverTime, validUntil: statuses.validUntil)
            }
        } else if case .error(let error) = message {
            throw CaseFailure("Error \(error.code.rawValue): \(error.message)")
        } else if case .goAway(let goAway) = message {
            throw CaseFailure("GoAway \(goAway.code.rawValue)")
        }
    }
}

extension WatchingClient.Told {
    var text: String {
        let focus = status.isFocused.map { $0 ? "focused" : "not focused" } ?? "unavailable"
        return "\(status.user.description.prefix(8)) \(focus)"
    }
}
