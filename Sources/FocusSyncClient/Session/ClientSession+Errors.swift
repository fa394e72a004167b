import FocusCore

extension ClientSession {
    /// Before Welcome every error ends the connection; after it, those about appends leave it open.
    mutating func receiveError(_ error: ProtocolError) -> [ClientAction] {
        // An error about a fetch changes nothing else, whatever its code.
        if state == .live, let request = error.request { return [.fetchFailed(request: request, error)] }
        if state == .live, healing != nil, let actions = receiveHealingError(error) { return actions }
        if state == .live, recalling != nil, let actions = receiveRecallError(error) { return actions }
        if state == .live, let actions = receiveEndingError(error) { return actions }
        switch error.code {
        case .sequenceConflict:
            // The conflict comes instead of Welcome: the incarnation belongs to another scope, and holds nothing of
            // this store (rule P10).
            guard state == .live else { return [.endRecalling(RecallReport(), offersHeld: true)] + reconnectNow() }
            return leave(.conflict(at: error.sequence ?? sender.queue.acknowledged.next))
        case .sequenceGap:
            return receiveGap(error)
        case .tooMany, .quotaExceeded, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            guard state == .live else { return end(.reconnect(milliseconds: Self.wait(error), cause: error)) }
            let wait = Self.pause(error)
            sender.pause(until: currentTime.adding(milliseconds: wait))
            if error.code == .quotaExceeded { sender.slowDown() }
            return [.report(.appendsDelayed(error, milliseconds: wait))]
        case .unknownMessage, .notFound, .tooManyWatched:
            return [.report(.serverError(error))]
        case .helloTimeout, .heartbeatTimeout, .slowConsumer, .shuttingDown:
            return end(.reconnect(milliseconds: Self.wait(error), cause: error))
        case .unauthenticated where state == .live && isRenewing:
            // The token in use stays in force (rule A2).
            isRenewing = false
            return [.report(.serverError(error))]
        case .unauthenticated, .tokenExpired: return end(.tokenRefused(error, milliseconds: nil))
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .revoked, .superseded:
            return end(.failed(error))
        }
    }

    /// The answer to `getToken`: sends the new token to the server (rule A2).
    public mutating func renew(_ token: String) -> [ClientAction] {
        guard state == .live else { return [] }
        isRenewing = true
        return [.send(.renew(token: token))]
    }

    /// The server tells when the token ends: as the answer to Renew, or as the warning that one is needed (rule A2).
    mutating func receiveExpiry(_ expiry: Timestamp, _ serverTime: Timestamp) -> [ClientAction] {
        let (left, overflow) = expiry.microseconds.subtractingReportingOverflow(serverTime.microseconds)
        let notice = ClientAction.report(.tokenExpires(inMilliseconds: overflow ? .max : left / 1_000))
        // The answer to Renew asks for no new token: a provider whose tokens last less than a minute would be asked
        // without end.
        if isRenewing {
            isRenewing = false
            return [notice]
        }
        return [notice, .getToken]
    }

    private mutating func receiveGap(_ error: ProtocolError) -> [ClientAction] {
        guard state == .live, let expected = error.expected else { return end(.failed(error)) }
        // The log lost its tail under this connection: the next Welcome says how much (rule S6).
        guard expected > sender.queue.acknowledged else { return end(.reconnect(milliseconds: nil, cause: error)) }
        guard expected <= sender.queue.last.next else {
            return leave(.storeBehind(logged: expected.advanced(by: -1), known: sender.queue.last))
        }
        sender.rewind()
        return appendNext()
    }

    mutating func receiveGoAway(_ goAway: GoAway) -> [ClientAction] {
        let cause = ProtocolError(goAway.code, Self.explanation(of: goAway.code))
        let minimum = Int64(goAway.minimumBackoffMilliseconds)
        let bounds = minimum...max(minimum, Int64(goAway.maximumBackoffMilliseconds))
        switch goAway.code {
        case .tokenExpired: return end(.tokenRefused(cause, milliseconds: bounds))
        case .superseded, .revoked:
            // A new connection would supersede the newer one, or get the same answer.
            return end(.failed(cause))
        case .unauthenticated, .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired,
            .helloTimeout,
            .sequenceConflict, .sequenceGap, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .slowConsumer,
            .heartbeatTimeout, .tooMany, .quotaExceeded, .tooManyWatched, .shuttingDown, .notFound, .internal:
            return end(.reconnect(milliseconds: bounds, cause: cause))
        }
    }

    private static func explanation(of code: ErrorCode) -> String {
        switch code {
        case .superseded: "Another connection of this device took over. Run one at a time."
        case .tokenExpired: "The token has expired. Get a new one."
        case .shuttingDown: "The server is shutting down."
        case .slowConsumer: "This device took too little of what it was sent."
        case .unauthenticated: "This device was sent away. The answer to its next Hello says why (rule A3)."
        case .revoked: ProtocolError.deviceRevoked.message
        case .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout,
            .tooMany, .quotaExceeded, .tooManyWatched, .sequenceConflict, .sequenceGap, .eventUnknown,
            .userQuarantined, .overloaded,
            .unavailable, .heartbeatTimeout, .notFound, .internal:
            "The server sent this device away."
        }
    }

    /// How long sending pauses on this connection after an error, in milliseconds.
    static func pause(_ error: ProtocolError) -> Int64 {
        max(Int64(error.retryAfterMilliseconds), AppendSender.minimumPauseMilliseconds)
    }

    /// How long to wait before the next connection, in milliseconds: full jitter above what the server asked for (rule
    /// L5). Nil: it asked for nothing.
    private static func wait(_ error: ProtocolError) -> ClosedRange<Int64>? {
        guard error.retryAfterMilliseconds > 0 else { return nil }
        let minimum = Int64(error.retryAfterMilliseconds)
        return minimum...2 * minimum
    }
}
