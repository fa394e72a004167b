import FocusCore

/// What the log holds at places of a device incarnation.
public struct FoundPlaces: Sendable {
    /// An event at its place.
    public struct Found: Sendable {
        /// The event; without its payload when `isWhole` is false.
        public var logged: LoggedEvent
        public var isWhole: Bool
        /// How the event was answered when it came for the first time.
        public var outcome: Outcome

        public init(logged: LoggedEvent, isWhole: Bool, outcome: Outcome) {
            self.logged = logged
            self.isWhole = isWhole
            self.outcome = outcome
        }
    }

    public var places: ClosedRange<DeviceSequence>
    /// See `KnownRuns.filledAt`.
    public var filledAt: Version
    /// Whether the user's whole stream was looked through.
    public var isScanned: Bool
    /// Newest first: earlier programs let an incarnation begin again, so a place may have several.
    private var events: [DeviceSequence: [Found]]

    public init(
        places: ClosedRange<DeviceSequence>, filledAt: Version, isScanned: Bool = false, events: [Found]
    ) {
        self.places = places
        self.filledAt = filledAt
        self.isScanned = isScanned
        self.events = Dictionary(grouping: events.reversed()) { $0.logged.sequence }
    }

    /// The event at a place, if it has this id.
    public func event(_ id: EventID, at sequence: DeviceSequence) -> Found? {
        events[sequence]?.first { $0.logged.id == id }
    }
}
