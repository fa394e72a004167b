/// What a device asks about events that an earlier incarnation of its store had no answer to (rule P10).
public struct Recall: Hashable, Sendable {
    /// The earlier incarnation.
    public var incarnation: Incarnation
    /// The sequence of the first event; the others follow densely.
    public var firstSequence: DeviceSequence
    /// The events asked about; when there are none, the incarnation is to end and nothing more.
    public var events: [EventID]

    public init(incarnation: Incarnation, firstSequence: DeviceSequence, events: [EventID]) {
        self.incarnation = incarnation
        self.firstSequence = firstSequence
        self.events = events
    }

    /// What is wrong with the recall whatever the log says; nil when nothing is.
    func flaw(_ limits: SessionLimits) -> String? {
        guard events.count <= limits.eventsPerAppend else {
            return "A recall names at most \(limits.eventsPerAppend) events."
        }
        return firstSequence > .zero && firstSequence.rawValue < Int64.max / 4 ? nil : "Sequences begin at 1."
    }
}

/// The answer to a `Recall`: what the log holds at the places asked for.
public struct Recalled: Hashable, Sendable {
    public var incarnation: Incarnation
    public var firstSequence: DeviceSequence
    /// One for each event asked for: its first outcome, or nil when the log does not hold it there.
    public var outcomes: [Outcome?]
    /// The user's version that the answer is of.
    public var version: Version
    /// The receipts of the held events, with the sequences of `incarnation`.
    public var receipts: [Receipt]

    public init(
        incarnation: Incarnation, firstSequence: DeviceSequence, outcomes: [Outcome?], version: Version,
        receipts: [Receipt] = []
    ) {
        self.incarnation = incarnation
        self.firstSequence = firstSequence
        self.outcomes = outcomes
        self.version = version
        self.receipts = receipts
    }
}
