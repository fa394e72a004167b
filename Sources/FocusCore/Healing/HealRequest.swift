/// What a device says to a log that lost its tail (rule S6).
public enum HealRequest: Hashable, Sendable {
    /// Events that were acknowledged once.
    case reoffer(Reoffer)
    /// Events that were acknowledged once, and that the device does not hold any more.
    case lost(LostEvents)

    /// How many events it has.
    public var eventCount: Int { if case .reoffer(let offer) = self { offer.events.count } else { 0 } }
}

/// Acknowledged events, as they were appended: exactly those of one receipt, or some that there is no receipt of.
public struct Reoffer: Hashable, Sendable {
    public struct Offered: Hashable, Sendable {
        /// The event as it was appended; the payload of a refused one may be left out.
        public var envelope: Envelope
        public var outcome: Outcome
        public init(envelope: Envelope, outcome: Outcome) {
            self.envelope = envelope
            self.outcome = outcome
        }
    }

    /// The incarnation that the events were acknowledged under; not necessarily that of the session.
    public var incarnation: Incarnation
    /// The sequence of the first event; the others follow densely.
    public var firstSequence: DeviceSequence
    public var events: [Offered]
    /// The receipt's code; empty when there is no receipt, and the events are judged as if they came for the first
    /// time.
    public var code: [UInt8]

    public init(incarnation: Incarnation, firstSequence: DeviceSequence, events: [Offered], code: [UInt8]) {
        self.incarnation = incarnation
        self.firstSequence = firstSequence
        self.events = events
        self.code = code
    }

    public var receipt: Receipt {
        Receipt(first: firstSequence, through: firstSequence.advanced(by: events.count - 1), code: code)
    }
}

/// Acknowledged events that the device does not hold any more.
public struct LostEvents: Hashable, Sendable {
    public var incarnation: Incarnation
    /// The first and the last lost sequence, both inclusive.
    public var first: DeviceSequence
    public var last: DeviceSequence

    public init(incarnation: Incarnation, first: DeviceSequence, last: DeviceSequence) {
        self.incarnation = incarnation
        self.first = first
        self.last = last
    }
}

extension HealRequest {
    public var incarnation: Incarnation {
        switch self {
        case .reoffer(let offer): offer.incarnation
        case .lost(let lost): lost.incarnation
        }
    }

    public var firstSequence: DeviceSequence {
        switch self {
        case .reoffer(let offer): offer.firstSequence
        case .lost(let lost): lost.first
        }
    }

    /// What is wrong with the request whatever the log says; nil when nothing is.
    func flaw(_ limits: SessionLimits) -> String? {
        let greatest = Int64.max / 4
        switch self {
        case .reoffer(let offer):
            guard !offer.events.isEmpty, offer.events.count <= limits.eventsPerAppend else {
                return "A re-offer holds 1 to \(limits.eventsPerAppend) events."
            }
            return offer.firstSequence > .zero && offer.firstSequence.rawValue < greatest
                ? nil : "Sequences begin at 1."
        case .lost(let lost):
            return lost.first > .zero && lost.first <= lost.last && lost.last.rawValue < greatest
                ? nil : "Lost events are from a sequence to the same or a later one, and sequences begin at 1."
        }
    }
}
