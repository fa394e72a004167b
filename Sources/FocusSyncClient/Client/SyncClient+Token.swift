import FocusCore

/// Rule A2: the token is renewed in the session a minute before it ends, or else between two connections.
extension SyncClient {
    /// Does not wait: the session goes on with the token that it has.
    func renewToken() {
        guard configuration.newToken != nil, let connection else { return }
        Task {
            guard await getToken(), self.connection === connection else { return }
            perform { $0.renew(token) }
        }
    }

    /// What to do after a connection that ended because of its token, once there is another.
    func withNewToken(_ end: ClientEnd) async -> ClientEnd {
        guard case .failed(let error) = end, Self.isAboutTheToken(error.code), tokenMayBeOld,
            configuration.newToken != nil
        else { return end }
        guard await getToken() else { return .reconnect(milliseconds: nil, cause: error) }
        return .reconnect(milliseconds: 0...0, cause: error)
    }

    /// False: there is none; why is in `lastProblem`.
    private func getToken() async -> Bool {
        guard let newToken = configuration.newToken else { return false }
        do {
            let new = try await newToken()
            // Of somebody else: it would fill this store with rows that are not its owner's.
            try store.claim(TokenContents(reading: new).owner)
            token = new
            tokenMayBeOld = false
            return true
        } catch {
            lastProblem = "There is no new token: \(error)"
            return false
        }
    }

    private static func isAboutTheToken(_ code: ErrorCode) -> Bool { code == .unauthenticated || code == .tokenExpired }
}
