/// The actions that an app is to hear of (rule N20): those that wait, with a row each, and the last ones that it has
/// handled. A log that lost its end may get an action and its handling back from different devices, in either order;
/// so what is handled is remembered, whether it waited or not.
struct WaitingActions: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Its place in the order of the log; a handled one's is that of its handling.
        var number: Int64
        /// The bytes of its row's value; nil once it is handled.
        var bytes: Int?

        var isHandled: Bool { bytes == nil }
    }

    /// Whether the app has ever said that it handles actions. Before that none waits.
    private(set) var isAwaited = false
    private(set) var entries: [EventID: Entry] = [:]
    /// The last number that was given.
    private(set) var lastNumber: Int64 = 0
    private(set) var waitingBytes = 0
    private(set) var waitingCount = 0

    /// The number that the next one gets.
    var nextNumber: Int64 { lastNumber + 1 }

    func isHandled(_ id: EventID) -> Bool { entries[id]?.isHandled == true }

    /// Lets the app be told from now on.
    mutating func begin() { isAwaited = true }

    /// Adds a row whose value has so many bytes, of `nextNumber`.
    /// - Returns: the actions that leave because too many wait, oldest first.
    mutating func add(_ id: EventID, bytes: Int) -> [EventID] {
        lastNumber += 1
        insert(id, Entry(number: lastNumber, bytes: bytes))
        var leaving: [EventID] = []
        while waitingCount > EventLimits.waitingActionsPerApp || waitingBytes > EventLimits.waitingActionBytesPerApp {
            guard let oldest = oldest(where: { !$0.isHandled }) else { break }
            remove(oldest)
            leaving.append(oldest)
        }
        return leaving
    }

    /// Remembers an action as handled.
    /// - Returns: the action that is forgotten for it; nil when there is room.
    mutating func handle(_ id: EventID) -> EventID? {
        remove(id)
        lastNumber += 1
        insert(id, Entry(number: lastNumber, bytes: nil))
        guard entries.count - waitingCount > EventLimits.handledActionsPerApp else { return nil }
        let oldest = oldest(where: \.isHandled)
        if let oldest { remove(oldest) }
        return oldest
    }

    private func oldest(where isWanted: (Entry) -> Bool) -> EventID? {
        entries.filter { isWanted($0.value) }.min { $0.value.number < $1.value.number }?.key
    }

    private mutating func insert(_ id: EventID, _ entry: Entry) {
        entries[id] = entry
        waitingCount += entry.isHandled ? 0 : 1
        waitingBytes += entry.bytes ?? 0
    }

    private mutating func remove(_ id: EventID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        waitingCount -= entry.isHandled ? 0 : 1
        waitingBytes -= entry.bytes ?? 0
    }
}

// Loading
extension WaitingActions {
    mutating func load(_ id: EventID, number: Int64, bytes: Int?) { insert(id, Entry(number: number, bytes: bytes)) }
    mutating func load(isAwaited: Bool, lastNumber: Int64) {
        (self.isAwaited, self.lastNumber) = (isAwaited, lastNumber)
    }

    /// The memo of a handled action's row; empty for one that waits, whose row says everything.
    func memo(of id: EventID) -> [UInt8] {
        guard let entry = entries[id], entry.isHandled else { return [] }
        var writer = ProtoWriter()
        writer.int(1, entry.number)
        return writer.bytes
    }

    static func number(memo: [UInt8]) throws(ProtoError) -> Int64 {
        var reader = ProtoReader(memo)
        var number: Int64?
        while let (field, value) = try reader.next() {
            if field == 1 { number = try value.int() }
        }
        guard let number else { throw .malformed }
        return number
    }
}
