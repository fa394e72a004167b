import FocusCore

/// Ends incarnations again (rule P10): a log that lost its tail may have forgotten that they ended. A copy of this
/// store could then append one of their events at its old place, though this store has given it another. While nothing
/// of the current incarnation is acknowledged, nothing shows such a loss, so the store ends them again before its first
/// event is sent, one at a time. When the store heals, the healing does it.
extension ClientSession {
    /// Incarnations that have ended, and that the log is told to end again before the first Append.
    struct Ending: Hashable, Sendable {
        var left: [Incarnation] = []
        /// Whether the Recall that ends the first of them was sent.
        var isAsking = false
    }

    /// The next Append, or the Recall that must come before it; none while nothing may be appended.
    mutating func appendNext() -> [ClientAction] {
        guard mayAppend else { return [] }
        guard let first = ending.left.first, !sender.queue.isEmpty else { return sender.next() }
        guard !ending.isAsking, sender.resumesAt == nil else { return [] }
        ending.isAsking = true
        return [.send(.recall(Recall(incarnation: first, firstSequence: DeviceSequence(1), events: [])))]
    }

    /// The answer to the Recall that ends an incarnation again. Nil: it answers something else.
    mutating func receiveEndedAgain(_ recalled: Recalled) -> [ClientAction]? {
        guard ending.isAsking, recalled.incarnation == ending.left.first else { return nil }
        return endNext()
    }

    /// An error about the Recall that ends an incarnation again. Nil: it is about something else, or is handled like an
    /// error about an Append.
    mutating func receiveEndingError(_ error: ProtocolError) -> [ClientAction]? {
        guard ending.isAsking else { return nil }
        switch error.code {
        // The incarnation belongs to another scope, so it holds nothing of this store.
        case .sequenceConflict: return endNext()
        case .unknownMessage:
            ending = Ending()
            return appendNext()
        case .tooMany, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            // The Recall is sent once more after the pause, as an Append is.
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
