/// What is remembered of a device: how far each of its incarnations counts, and a history for each scope that it has
/// events of. One more history is unbound: of incarnations that earlier programs logged without their scope (rules E1,
/// P10).
struct DeviceRecord: Sendable {
    /// The most incarnations of a scope that are open, that is, have not ended (rule P10).
    static let openLimit = 256
    /// Incarnations of the unbound history that an earlier program knows.
    private static let recentLimit = 256

    let device: DeviceID
    /// Whether the device was revoked (protocol.md, rule A3).
    var isRevoked = false
    /// The unbound history comes first and is always there.
    private(set) var histories: [ScopeHistory]
    private(set) var incarnations: [Incarnation: IncarnationRecord] = [:]
    /// Keys of the rows in `refusals`, oldest first, by the app of their scope. They are loaded from those rows, not
    /// from the memo.
    var refusals: [AppID?: [RowKey]] = [:]

    init(_ device: DeviceID) {
        self.device = device
        histories = [ScopeHistory(device, .unbound)]
    }

    /// The bytes of memory that it takes, roughly.
    var approximateBytes: Int {
        let answers = histories.reduce(0) {
            $0 + MemoryLayout<ScopeHistory>.stride + 200 + $1.outcomes.approximateBytes
        }
        let places = incarnations.values.reduce(0) {
            $0 + 2 * MemoryLayout<IncarnationRecord>.stride + $1.approximateBytes
        }
        return 400 + answers + places + refusals.values.reduce(0) { $0 + $1.count * 300 }
    }

    /// Remembers a refusal as the newest of its scope.
    /// - Returns: the oldest, if the scope has one more than are kept.
    mutating func keep(refusal key: RowKey) -> RowKey? {
        func keep(_ keys: inout [RowKey]) -> RowKey? {
            keys.append(key)
            return keys.count > EventLimits.outcomesPerDevice ? keys.removeFirst() : nil
        }
        return keep(&refusals[key.app, default: []])
    }

    subscript(incarnation: Incarnation) -> IncarnationRecord? { incarnations[incarnation] }

    /// Reads a record without copying it: a copy would touch a reference count for each of its tables.
    func reading<Value>(_ incarnation: Incarnation, _ body: (borrowing IncarnationRecord) -> Value) -> Value? {
        guard let index = incarnations.index(forKey: incarnation) else { return nil }
        return body(incarnations.values[index])
    }

    /// The answer to one of the last events of a scope; nil when it is not remembered.
    func outcome(of event: EventID, _ scope: Scope) -> Outcome? {
        histories[index(of: .scope(scope)) ?? 0].outcomes.outcome(of: event)
    }

    func history(of owner: HistoryOwner) -> ScopeHistory? { histories.first { $0.owner == owner } }

    /// The row of an incarnation that is not its history's current one.
    func key(of incarnation: Incarnation) -> RowKey { RowKey(.incarnations, key: "\(device)/\(incarnation.rawValue)") }

    private func index(of owner: HistoryOwner) -> Int? { histories.indices.first { histories[$0].owner == owner } }

    // MARK: Fold

    /// Records the event at its place. A refused event leaves no stamp (rule E2).
    /// - Returns: the event's stamp, and the keys of the rows that changed.
    mutating func record(_ event: Event) throws(FoldError) -> RecordedPlace {
        let incarnation = event.incarnation
        let found = try ensureIncarnation(incarnation)
        // An event that fills a lost place happened before the device's later events, so it must not win over them.
        let isLate = event.sequence <= incarnations.values[found].last
        let full = try incarnations.values[found].record(event)
        let index = index(of: incarnations.values[found].owner) ?? 0
        var place = RecordedPlace(key: histories[index].key)
        if case .scope(let scope) = histories[index].owner { place.app = scope.app }
        if let full, let first = full.first {
            let key = PlacePageKey(device: device, incarnation: incarnation, first: first)
            place.page = (RowKey(.placePages, key: key.text), full.encoded)
        }
        // The current incarnation stands in its history's row, every other one in a row of its own. So the incarnation
        // that was current until now gets a row, and the row of the new one is removed, if it had one.
        let current = histories[index].current
        if current != incarnation { place.others = [current, incarnation].compactMap { $0.map(key(of:)) } }
        histories[index].current = incarnation
        if index == 0 { markRecent(incarnation) }
        if !event.isOfLostEvents {
            histories[index].outcomes.append(event.id, incarnation, event.sequence, event.rememberedRefusal)
        }
        place.stamp =
            event.leavesNoStamp
            ? Stamp(time: event.occurredAt, device: event.device, sequence: event.sequence)
            : histories[index].stamp(event, isLate: isLate)
        return place
    }

    /// The index of the incarnation's record, which is created when it is new.
    private mutating func ensureIncarnation(
        _ incarnation: Incarnation
    ) throws(FoldError) -> Dictionary<Incarnation, IncarnationRecord>.Index {
        if let known = incarnations.index(forKey: incarnation) { return known }
        incarnations[incarnation] = IncarnationRecord(.unbound)
        guard let new = incarnations.index(forKey: incarnation) else { throw .brokenInvariant("it was put there") }
        return new
    }

    private mutating func markRecent(_ incarnation: Incarnation) {
        guard histories[0].recent.last != incarnation else { return }
        histories[0].recent.removeAll { $0 == incarnation }
        if histories[0].recent.count == Self.recentLimit { histories[0].recent.removeFirst() }
        histories[0].recent.append(incarnation)
    }

    /// The stamp that an event gets if it is accepted next.
    func nextStamp(_ event: Event) -> Stamp {
        let known = reading(event.incarnation) { (owner: $0.owner, last: $0.last) }
        var history = history(of: known?.owner ?? .unbound) ?? histories[0]
        return history.stamp(event, isLate: event.sequence <= known?.last ?? .zero)
    }

    /// Binds an incarnation to a scope, and ends it when `isEnded` (rule P10). An incarnation of another scope stays as
    /// it is: no event of this scope reaches it.
    /// - Returns: the keys of the rows that changed.
    mutating func begin(_ incarnation: Incarnation, _ scope: Scope, isEnded: Bool, at time: Timestamp) -> [RowKey] {
        let owner = HistoryOwner.scope(scope)
        let key = ensureHistory(owner)
        if incarnations[incarnation] == nil { addBeginning(owner, at: time) }
        let keys = bind(incarnation, to: owner)
        if isEnded, incarnations[incarnation]?.owner == owner { incarnations[incarnation]?.isEnded = true }
        return keys + [key]
    }

    private mutating func ensureHistory(_ owner: HistoryOwner) -> RowKey {
        if let known = history(of: owner) { return known.key }
        var history = ScopeHistory(device, owner)
        // Unbound events counted for all scopes; a library of protocol 1 may send them again in a new incarnation.
        (history.greatest, history.outcomes) = (histories[0].greatest, histories[0].outcomes)
        histories.append(history)
        return history.key
    }

    private mutating func addBeginning(_ owner: HistoryOwner, at time: Timestamp) {
        if let index = index(of: owner) { histories[index].addBeginning(at: time) }
    }

    /// Counts the incarnation in the owner's history from now on, unless it is another's. Returns the keys of changed
    /// rows.
    private mutating func bind(_ incarnation: Incarnation, to owner: HistoryOwner) -> [RowKey] {
        guard let index = index(of: owner) else { return [] }
        guard let known = incarnations[incarnation] else {
            incarnations[incarnation] = IncarnationRecord(owner)
            return [key(of: incarnation)]
        }
        guard known.owner == .unbound else { return [key(of: incarnation)] }
        incarnations[incarnation]?.owner = owner
        // Unbound events counted for all scopes.
        if let unbound = histories[0].greatest { histories[index].greatest.raise(to: unbound) }
        // The incarnation's last answers were kept in the unbound history, with those of all scopes.
        if histories[index].outcomes.count == 0 { histories[index].outcomes = histories[0].outcomes }
        histories[0].recent.removeAll { $0 == incarnation }
        if histories[0].current == incarnation { histories[0].current = nil }
        return [key(of: incarnation), histories[0].key]
    }

    // MARK: Load

    mutating func load(_ history: ScopeHistory, _ current: (Incarnation, IncarnationRecord)?) {
        if let index = index(of: history.owner) { histories[index] = history } else { histories.append(history) }
        if let (incarnation, record) = current { incarnations[incarnation] = record }
    }

    mutating func load(_ incarnation: Incarnation, _ record: IncarnationRecord) {
        incarnations[incarnation] = record
        // The history of its owner has no row while nothing is in it, so no row may have made it yet.
        if index(of: record.owner) == nil { histories.append(ScopeHistory(device, record.owner)) }
    }

    /// Incarnations with a row of their own.
    var besideCurrent: [Incarnation] {
        let current = Set(histories.compactMap(\.current))
        return incarnations.keys.filter { !current.contains($0) }
    }
}

/// Where an event was put.
struct RecordedPlace {
    /// The history's row.
    var key: RowKey
    var stamp = Stamp(time: Timestamp(microseconds: 0), device: .server, sequence: .zero)
    /// Keys of the rows of incarnations that stopped or began to be the current one.
    var others: [RowKey] = []
    /// The app whose session appended the event; nil when the system's did, the server, or nobody knows who.
    var app: AppID?
    /// A page that is full now, and its bytes.
    var page: (key: RowKey, bytes: [UInt8])?

    init(key: RowKey) { self.key = key }
}

extension Event {
    /// Whether the event has no stamp, because it stands in the place of events that were refused or lost (rules E2,
    /// S6).
    var leavesNoStamp: Bool {
        if case .eventRefused = body { true } else { isOfLostEvents }
    }

    /// The refusal to remember. Nil for an accepted event, and for an event that another incarnation has logged
    /// already: such a repeat takes a sequence and makes no row, and its answer is the first one (rule E1).
    fileprivate var rememberedRefusal: RememberedOutcomes.Refused? {
        guard case .eventRefused(let refused) = body, refused.code != RefusalCode.alreadyLogged.rawValue else {
            return nil
        }
        return RememberedOutcomes.Refused(code: refused.code, message: refused.message)
    }
}
