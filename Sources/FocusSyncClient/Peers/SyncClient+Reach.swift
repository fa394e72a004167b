import FocusCore

extension SyncClient {
    /// Asks whether a message of this client's user to another user would ring now, as far as they share it with this
    /// user (rule F6). Ask when somebody writes, not all the time: the same question has one answer a minute, unless
    /// what `watch` tells has changed (rule V5).
    /// - Parameters:
    ///   - app: the app by which it would come; nil: the token's.
    ///   - level: what its notification would have; a communication is decided as active.
    ///   - isCommunication: whether this client's user would write or call. A Focus then lets the message through for
    ///     the sender's sake, where it allows the person whose handle is this user's id.
    /// - Throws: `SyncClientError.noApp` in a system client when no app is named; `fetchFailed` with `not_found` for
    ///   another app than the token's, and with `unknown_message` by a server that does not know the question; what
    ///   `fetch` throws.
    public func reach(
        _ user: UserID, in app: AppID? = nil, level: InterruptionLevel = .active, isCommunication: Bool = false
    ) async throws -> Reach {
        guard let app = app ?? scopeApp else { throw SyncClientError.noApp }
        let question = ReachQuestion(user: user, app: app, level: level, isCommunication: isCommunication)
        guard case .reach(let reach) = try await fetch(.reach(question)) else { throw FetchAnswer.unexpected }
        return reach
    }
}
