import FocusCore

/// Renews the token (rule A2): in the session, a minute before it ends, or else between two connections.
extension SyncClient {
    /// Gets a new token and sends it to the server. Does not wait: the session goes on with the token that it has.
    func renewToken() {
        guard configuration.newToken != nil, let connection else { return }
        Task {
            guard await getToken(), self.connection === connection else { return }
            perform { $0.renew(token) }
        }
    }

    /// What follows the end of a connection. When the server refused its token and there is a new one, the client
    /// connects again: at once, or within the bounds that the server named (rule L5).
    func withNewToken(_ end: ClientEnd) async -> ClientEnd {
        guard case .tokenRefused(let error, let bounds) = end else { return end }
        // A new token came since Hello, and the server may not have seen it when it refused the one before.
        if token != helloToken { return .reconnect(milliseconds: bounds ?? 0...0, cause: error) }
        guard tokenMayBeOld, configuration.newToken != nil else { return .failed(error) }
        guard await getToken() else { return .reconnect(milliseconds: nil, cause: error) }
        return .reconnect(milliseconds: bounds ?? 0...0, cause: error)
    }

    /// Gets a new token from the configuration. Returns whether there is one; if not, `lastProblem` says why.
    private func getToken() async -> Bool {
        guard let newToken = configuration.newToken else { return false }
        do {
            let new = try await newToken()
            // A token of another owner would fill this store with rows that are not its owner's.
            let other = try TokenContents(reading: new).owner
            guard other == owner else { throw DeviceStoreError.otherOwner(stored: owner, asked: other) }
            token = new
            tokenMayBeOld = false
            return true
        } catch {
            lastProblem = "There is no new token: \(error)"
            return false
        }
    }
}
