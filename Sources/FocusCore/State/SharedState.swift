/// What all apps of a user share: the rows, what the fold remembers of the user, and the event that is folded in.
///
/// It is a part of its own beside `UserState.apps`, because a rule about an app is a function of `AppRecord` that
/// changes both: `apps[slot].writeBadge(&shared)`.
struct SharedState: Sendable {
    /// The numbers in the rules.
    let rules: FoldRules
    /// The event that is folded in; after that, and until the next one, the last that was.
    private(set) var event = FoldedEvent.none
    /// Keys of the rows whose value or memo the event changed, perhaps some of them twice; nil when the caller does not
    /// ask for them.
    private var touched: [RowKey]?

    var store = RowStore()
    var focus = FocusTable()
    /// The people with whom the interactions of all apps were, by handle (rule I3).
    var people: [ByteText: PersonTally] = [:]
    /// The bytes of memory that donations take, roughly.
    var interactionBytes = 0
    /// The default settings for all apps (rule N15).
    var defaultSettings = SettingsTable()
    /// The switch that silences all apps (rule N17); nil before its first write.
    var silence: Register<Bool>?
    var summary = SummaryTable()
    var activity = ActivityTable()
    /// When alerts that ring, or that their app is told of, do so elsewhere (rule T4), by the keys of their rows in
    /// `alerts`. It is what those rows and those in `class_alerts` say.
    var pendingRings: [RowKey: Timestamp] = [:]
    /// How many notifications are in the lists' `waiting`.
    var waitingCount = 0
    /// See `UserState.work`.
    private(set) var work = 0

    init(_ rules: FoldRules) { self.rules = rules }

    /// Begins with an event. `touch` does nothing unless `collectsKeys`.
    mutating func begin(_ event: FoldedEvent, collectsKeys: Bool) {
        self.event = event
        touched = collectsKeys ? [] : nil
        touched?.reserveCapacity(8)
    }

    /// Ends with the event, and returns the keys of the rows that it changed.
    mutating func end() -> [RowKey]? {
        defer { touched = nil }
        return touched
    }

    mutating func touch(_ key: RowKey) { touched?.append(key) }

    /// Counts work that is not in proportion to the rows that are written (`FoldWork`).
    mutating func count(_ units: Int) { work += units }

    mutating func put(_ key: RowKey, _ value: [UInt8]) {
        work += FoldWork.row + value.count / FoldWork.bytesPerUnit
        if store.put(key, value, at: event.version) { touch(key) }
    }

    mutating func remove(_ key: RowKey) {
        work += FoldWork.row
        if store.remove(key, at: event.version) { touch(key) }
    }

    /// The decoded value of a row that must be there.
    func value<Value: RowMessage>(of key: RowKey) throws(FoldError) -> Value {
        guard let entry = store[key], !entry.isDeleted, let value = try? Value(decoding: entry.value) else {
            throw .corruptRow(key)
        }
        return value
    }
}
