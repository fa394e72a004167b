import FocusCore

extension ClientSession {
    /// Before Welcome every error ends the connection; after it, those about appends leave it open.
    mutating func receiveError(_ error: ProtocolError) -> [ClientAction] {
        switch error.code {
        case .sequenceConflict:
            return beginIncarnation(.conflict(at: error.sequence ?? sender.queue.acknowledged.next))
        case .sequenceGap:
            return receiveGap(error)
        case .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            guard state == .live else { return end(.reconnect(milliseconds: Self.wait(error), cause: error)) }
            let wait = max(Int64(error.retryAfterMilliseconds), AppendSender.minimumPauseMilliseconds)
            sender.pause(until: currentTime.adding(milliseconds: wait))
            return [.report(.appendsDelayed(error, milliseconds: wait))]
        case .unknownMessage:
            return [.report(.serverError(error))]
        case .helloTimeout, .heartbeatTimeout, .slowConsumer, .shuttingDown:
            return end(.reconnect(milliseconds: Self.wait(error), cause: error))
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .unauthenticated, .tokenExpired,
            .superseded:
            return end(.failed(error))
        }
    }

    private mutating func receiveGap(_ error: ProtocolError) -> [ClientAction] {
        guard state == .live, let expected = error.expected else { return end(.failed(error)) }
        guard expected > sender.queue.acknowledged else {
            return beginIncarnation(
                .logBehind(logged: expected.advanced(by: -1), acknowledged: sender.queue.acknowledged))
        }
        guard expected <= sender.queue.last.next else {
            return beginIncarnation(.storeBehind(logged: expected.advanced(by: -1), known: sender.queue.last))
        }
        sender.rewind(to: expected)
        return sender.next()
    }

    mutating func receiveGoAway(_ goAway: GoAway) -> [ClientAction] {
        let cause = ProtocolError(goAway.code, Self.explanation(of: goAway.code))
        switch goAway.code {
        case .superseded, .tokenExpired, .unauthenticated:
            // Coming back would supersede the newer connection, or meet the same answer.
            return end(.failed(cause))
        case .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout,
            .sequenceConflict, .sequenceGap, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .slowConsumer,
            .heartbeatTimeout, .shuttingDown, .internal:
            let minimum = Int64(goAway.minimumBackoffMilliseconds)
            let bounds = minimum...max(minimum, Int64(goAway.maximumBackoffMilliseconds))
            return end(.reconnect(milliseconds: bounds, cause: cause))
        }
    }

    private static func explanation(of code: ErrorCode) -> String {
        switch code {
        case .superseded: "Another connection of this device took over. Run one at a time."
        case .tokenExpired: "The token has expired. Get a new one."
        case .shuttingDown: "The server is shutting down."
        case .slowConsumer: "This device took too little of what it was sent."
        case .unknownMessage, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout,
            .unauthenticated, .sequenceConflict, .sequenceGap, .eventUnknown, .userQuarantined, .overloaded,
            .unavailable,
            .heartbeatTimeout, .internal:
            "The server sent this device away."
        }
    }

    /// Full jitter above what the server asked for (rule F5).
    private static func wait(_ error: ProtocolError) -> ClosedRange<Int64>? {
        guard error.retryAfterMilliseconds > 0 else { return nil }
        let minimum = Int64(error.retryAfterMilliseconds)
        return minimum...2 * minimum
    }
}
