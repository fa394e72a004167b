/// Rule P10: an incarnation belongs to one scope of its device for ever, and ends when another follows it.
extension UserState {
    /// How an incarnation relates to a scope of its device.
    public enum IncarnationStanding: Hashable, Sendable {
        /// The log names it nowhere.
        case unknown
        /// It has events, and the log does not say which scope it belongs to.
        case unbound
        /// It belongs to the scope; one that has ended takes no further event.
        case own(isEnded: Bool)
        /// It belongs to another scope.
        case foreign
    }

    /// What the log has of an incarnation, for a session of a scope.
    public struct IncarnationStatus: Hashable, Sendable {
        public var standing: IncarnationStanding
        /// Its last sequence; zero when it has none.
        public var last: DeviceSequence
        /// The event there; nil when the log cannot name it.
        public var lastEvent: EventID?
    }

    public func status(of incarnation: Incarnation, device: DeviceID, scope: Scope) -> IncarnationStatus {
        let status = reading(incarnation, of: device) { record in
            let standing: IncarnationStanding =
                switch record.owner {
                case .unbound: .unbound
                case .scope(let owner): owner == scope ? .own(isEnded: record.isEnded) : .foreign
                }
            return IncarnationStatus(standing: standing, last: record.last, lastEvent: record.lastEvent)
        }
        return status ?? IncarnationStatus(standing: .unknown, last: .zero, lastEvent: nil)
    }

    /// Whether an earlier program has forgotten the incarnation: it remembers the 256 that were used last. It would
    /// take events of this one only from sequence 1 on.
    public func isForgottenEarlier(_ incarnation: Incarnation, of device: DeviceID) -> Bool {
        guard let record = devices[device], record[incarnation]?.owner == .unbound else { return false }
        let recent = record.histories[0].recent
        return recent.last != incarnation && !recent.contains(incarnation)
    }

    /// Whether an earlier program let the incarnation begin again at 1: it may have had more places than it has now.
    public func hasBegunAgain(_ incarnation: Incarnation, of device: DeviceID) -> Bool {
        reading(incarnation, of: device) { $0.isRepeated } ?? false
    }

    /// When the scope may begin one more incarnation; nil when it may begin one now.
    public func mayBeginIncarnation(of device: DeviceID, _ scope: Scope, at now: Timestamp) -> Timestamp? {
        devices[device]?.history(of: .scope(scope))?.mayBegin(at: now)
    }

    /// Which incarnation must end before another begins: the one that was used longest ago. Nil while the scope has
    /// fewer open ones than it may. Nothing is lost by that, because the store of the ended one recalls.
    public func incarnationToEnd(of device: DeviceID, _ scope: Scope) -> Incarnation? {
        let open = (devices[device]?.incarnations ?? [:]).filter {
            $0.value.owner == .scope(scope) && !$0.value.isEnded
        }
        guard open.count >= DeviceRecord.openLimit else { return nil }
        return open.min { ($0.value.lastVersion, $0.key) < ($1.value.lastVersion, $1.key) }?.key
    }

    mutating func applyBegan(_ body: DeviceIncarnationBegan) {
        bindIncarnation(body.device, body.incarnation, body.scope, isEnded: false)
    }

    mutating func applyEnded(_ body: DeviceIncarnationEnded) {
        bindIncarnation(body.device, body.incarnation, body.scope, isEnded: true)
    }

    private mutating func bindIncarnation(
        _ device: DeviceID, _ incarnation: Incarnation, _ scope: Scope, isEnded: Bool
    ) {
        let keys = devices[device, default: DeviceRecord(device)]
            .begin(incarnation, scope, isEnded: isEnded, at: shared.event.recordedAt)
        markSeen(device)
        for key in keys { shared.touch(key) }
        if let app = scope.app { shared.store.moveStream(of: app, at: shared.event.version) }
    }

    // MARK: Places

    /// Where the log may hold the events of these places.
    public func placeRuns(
        of device: DeviceID, incarnation: Incarnation, _ places: ClosedRange<DeviceSequence>
    ) -> KnownRuns {
        guard let record = devices[device]?[incarnation] else { return KnownRuns(isScanned: true) }
        var known = KnownRuns(isScanned: record.isRepeated)
        known.filledAt = record.filledAt
        known.lost = record.lost.ranges.filter { $0.overlaps(places) }
        var runs = record.page.runs
        let prefix = PlacePageKey.prefix(device, incarnation)
        for (key, bytes) in placePages where key.key.hasPrefix(prefix) {
            guard let page = try? PlacePage(decoding: bytes[...]) else { continue }
            runs += page.runs
        }
        known.runs = runs.filter { $0.first <= places.upperBound && $0.last >= places.lowerBound }
        return known
    }

    /// The version at which a lost place of the incarnation was last filled; zero when none was. What was read of the
    /// log before that version may say that such a place is empty.
    public func lastFill(of device: DeviceID, incarnation: Incarnation) -> Version {
        reading(incarnation, of: device) { $0.filledAt } ?? .zero
    }

    // MARK: Rows

    func deviceMemo(of key: RowKey) -> [UInt8] {
        if key.collection == .devices {
            guard let (device, owner) = ScopeHistory.owner(of: key), let record = devices[device] else { return [] }
            return record.history(of: owner)?
                .memo(record.incarnations, isRevoked: owner == .unbound && record.isRevoked) ?? []
        }
        guard let (device, incarnation) = Self.incarnation(key), let record = devices[device],
            let found = record[incarnation], !record.histories.contains(where: { $0.current == incarnation })
        else { return [] }
        var writer = ProtoWriter()
        found.write(incarnation, &writer)
        return writer.bytes
    }

    private static func incarnation(_ key: RowKey) -> (DeviceID, Incarnation)? {
        let parts = key.key.split(separator: "/")
        guard parts.count == 2, let device = DeviceID(text: String(parts[0])), let number = Int64(parts[1]) else {
            return nil
        }
        return (device, Incarnation(number))
    }

    mutating func loadHistory(_ key: RowKey, _ row: Row) throws(ProtoError) {
        guard let (device, owner) = ScopeHistory.owner(of: key) else { throw .unexpected }
        let loaded = try ScopeHistory.read(device, owner, memo: row.memo)
        devices[device, default: DeviceRecord(device)].load(loaded.history, loaded.current)
        if loaded.current != nil { markSeen(device) }
        guard loaded.isRevoked else { return }
        devices[device]?.isRevoked = true
        insertRevoked(device)
    }

    mutating func loadIncarnation(_ key: RowKey, _ row: Row) throws(ProtoError) {
        guard let (device, incarnation) = Self.incarnation(key) else { throw .unexpected }
        let (named, record) = try IncarnationRecord.read(row.memo[...])
        guard named == incarnation else { throw .unexpected }
        devices[device, default: DeviceRecord(device)].load(incarnation, record)
        markSeen(device)
    }
}

/// What a state knows of the places of an incarnation.
public struct KnownRuns: Hashable, Sendable {
    /// The runs that overlap the places asked for, as far as the state holds them; earlier ones are in `place_pages`.
    public var runs: [PlaceRun] = []
    /// Whether the whole stream must be searched, because the runs do not say where this incarnation's events are: the
    /// device counted in it from 1 twice, or nothing is known of it.
    public var isScanned: Bool
    /// The version at which a lost place was last filled. Only the stream says where the events in such places are.
    public var filledAt = Version.zero
    /// The ranges of lost places that overlap the places asked for. No event stands there.
    public var lost: [ClosedRange<DeviceSequence>] = []

    public init(isScanned: Bool) { self.isScanned = isScanned }
}
