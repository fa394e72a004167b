import FocusCore

/// Where a device has to send again from, by incarnation: a frame could not be taken, and until its events come again
/// those behind them are not taken either (rule P4). Their answer would acknowledge the others too.
struct AwaitedPlaces {
    /// Far more than frames may be under way in: who sends on regardless is answered frame by frame.
    private static let limit = 64
    private var sequences: [Incarnation: DeviceSequence] = [:]

    /// What could not be taken may be sent again, or not.
    mutating func note(_ error: ProtocolError, about append: IncomingAppend, in incarnation: Incarnation) {
        switch error.code {
        case .unavailable, .overloaded, .userQuarantined, .tooMany, .eventUnknown, .internal: break
        case .malformedFrame, .frameTooLarge, .protocolUnsupported, .helloRequired, .helloTimeout, .unauthenticated,
            .tokenExpired, .slowConsumer, .heartbeatTimeout, .superseded, .notFound, .tooManyWatched, .shuttingDown,
            .unknownMessage, .sequenceGap, .sequenceConflict:
            return
        }
        guard sequences[incarnation] == nil, sequences.count < Self.limit else { return }
        sequences[incarnation] = error.sequence ?? append.firstSequence
    }

    /// The place that must come before the frame; nil: none.
    mutating func missing(before append: IncomingAppend, in incarnation: Incarnation) -> DeviceSequence? {
        guard let sequence = sequences[incarnation] else { return nil }
        guard append.firstSequence <= sequence else { return sequence }
        if append.lastSequence >= sequence { sequences[incarnation] = nil }
        return nil
    }
}

extension IncomingAppend {
    fileprivate var lastSequence: DeviceSequence {
        switch healing {
        case .lost(let lost): lost.last
        case .recall(let recall): firstSequence.advanced(by: max(0, recall.events.count - 1))
        case .reoffer, nil: firstSequence.advanced(by: max(0, events.count - 1))
        }
    }
}
