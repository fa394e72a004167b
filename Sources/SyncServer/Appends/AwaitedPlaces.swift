import FocusCore

/// Where a session has to send again from, for each incarnation of which a frame could not be taken. Until those events
/// come again, the events behind them are not taken either (rule P4): an answer to these would acknowledge the missing
/// ones too.
struct AwaitedPlaces {
    /// How many incarnations are remembered: far more than a device has frames under way in. Past that a frame that
    /// could not be taken does not hold back those behind it.
    private static let limit = 64
    private var sequences: [Incarnation: DeviceSequence] = [:]

    /// Remembers the place that the error is about, if the error means that its events may be sent again.
    mutating func remember(_ error: ProtocolError, about append: IncomingAppend, in incarnation: Incarnation) {
        switch error.code {
        case .unavailable, .overloaded, .userQuarantined, .tooMany, .quotaExceeded, .eventUnknown, .internal: break
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .revoked,
            .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched, .shuttingDown,
            .unknownMessage, .sequenceGap, .sequenceConflict:
            return
        }
        guard sequences[incarnation] == nil, sequences.count < Self.limit else { return }
        sequences[incarnation] = error.sequence ?? append.firstSequence
    }

    /// The place that is awaited before the frame; nil when none is. A frame that brings the awaited place ends the
    /// wait.
    mutating func missing(before append: IncomingAppend, in incarnation: Incarnation) -> DeviceSequence? {
        guard let sequence = sequences[incarnation] else { return nil }
        guard append.firstSequence <= sequence else { return sequence }
        if append.lastSequence >= sequence { sequences[incarnation] = nil }
        return nil
    }
}

extension IncomingAppend {
    /// The last sequence that the frame is about.
    fileprivate var lastSequence: DeviceSequence {
        switch healing {
        case .lost(let lost): lost.last
        case .recall(let recall): firstSequence.advanced(by: max(0, recall.events.count - 1))
        case .reoffer, nil: firstSequence.advanced(by: max(0, events.count - 1))
        }
    }
}
