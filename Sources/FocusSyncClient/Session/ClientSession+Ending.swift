import FocusCore

/// Ends incarnations a second time (rule P10), because a log that lost its tail may have forgotten that they ended.
///
/// A copy of this store could then append an event at a place of the old incarnation, although this store has given the
/// event a place in the new one, and it would be there twice. A store notices a lost tail by what the log acknowledged
/// in the current incarnation. While that is nothing, it could miss the loss; so it ends the earlier incarnations
/// again, one at a time, before it sends its first event. When the store heals, the healing ends them.
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
        awaitAnswer(after: false)
        return [.send(.recall(Recall(incarnation: first, firstSequence: DeviceSequence(1), events: [])))]
    }

    /// Handles the answer to the Recall that ends an incarnation again. Returns nil when it answers something else.
    mutating func receiveEndedAgain(_ recalled: Recalled) -> [ClientAction]? {
        guard ending.isAsking, recalled.incarnation == ending.left.first else { return nil }
        return endNext()
    }

    /// Handles an error about the Recall that ends an incarnation again. Returns nil when the error is about something
    /// else, or is to be handled like an error about an Append.
    mutating func receiveEndingError(_ error: ProtocolError) -> [ClientAction]? {
        guard ending.isAsking else { return nil }
        switch error.code {
        // The incarnation belongs to another scope, so it holds nothing of this store.
        case .sequenceConflict: return endNext()
        case .unknownMessage:
            ending = Ending()
            return appendNext()
        case .tooMany, .quotaExceeded, .eventUnknown, .userQuarantined, .overloaded, .unavailable, .internal:
            // The Recall is sent once more after the pause, as an Append is.
            ending.isAsking = false
            return nil
        case .sequenceGap, .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout,
            .unauthenticated, .revoked, .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound,
            .tooManyWatched, .shuttingDown:
            return nil
        }
    }

    private mutating func endNext() -> [ClientAction] {
        ending.left.removeFirst()
        ending.isAsking = false
        return appendNext()
    }
}
