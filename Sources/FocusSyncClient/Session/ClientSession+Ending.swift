import FocusCore

/// Rule P10: a log that lost its tail may have forgotten that incarnations ended. A copy of this store could then append
/// one of their events at its old place, though this store has given it another. While nothing of the current
/// incarnation is acknowledged nothing shows such a loss, so the store ends them again before its first event goes out,
/// one at a time. When the store heals, the healing does it.
extension ClientSession {
    /// Incarnations that take no further event, and that the log is to be told so of before the first Append.
    struct Ending: Hashable, Sendable {
        var left: [Incarnation] = []
        /// The first of them was sent.
        var isAsking = false
    }

    /// What is appended next, when anything may be.
    mutating func appendNext() -> [ClientAction] {
        guard mayAppend else { return [] }
        guard let first = ending.left.first, !sender.queue.isEmpty else { return sender.next() }
        guard !ending.isAsking, sender.resumesAt == nil else { return [] }
        ending.isAsking = true
        return [.send(.recall(Recall(incarnation: first, firstSequence: DeviceSequence(1), events: [])))]
    }

    /// Nil: it is the answer to something else.
    mutating func receiveEndedAgain(_ recalled: Recalled) -> [ClientAction]? {
        guard ending.isAsking, recalled.incarnation == ending.left.first else { return nil }
        return endNext()
    }

    /// Nil: it is about something else.
    mutating func receiveEndingError(_ error: ProtocolError) -> [ClientAction]? {
        guard ending.isAsking else { return nil }
        switch error.code {
        // It is another scope's: nothing of this store is in it.
        case .sequenceConflict: return endNext()
        case .unknownMessage:
            ending = Ending()
            return appendNext()
        case .tooMany, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            // It is sent once more after the pause, as an Append is.
            ending.isAsking = false
            return nil
        case .sequenceGap, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout,
            .unauthenticated, .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched,
            .shuttingDown:
            return nil
        }
    }

    private mutating func endNext() -> [ClientAction] {
        ending.left.removeFirst()
        ending.isAsking = false
        return appendNext()
    }
}
