/// Rule Z1: the rows that an app may see move a stream of that app's own.
extension RowStore {
    /// The app's stream; nil when no row of the app was there yet.
    func stream(of app: AppID) -> AppStream? { streamSlots[app].map { streams[$0] } }

    /// The slot of the stream that a row belongs to, which is created when it is new; nil for rows that no app sees.
    mutating func streamSlot(_ key: RowKey) -> Int? {
        guard key.isSeenByApp, let app = key.app else { return nil }
        return streamSlot(app)
    }

    mutating func streamSlot(_ app: AppID) -> Int {
        if let slot = streamSlots[app] { return slot }
        streams.append(AppStream(app))
        streamSlots[app] = streams.count - 1
        return streams.count - 1
    }

    /// Moves the stream of an app whose own session appended the event at `version`, or for whose session the server
    /// logged it. That is how a device's cursor names all that its app has in the log (rule S6).
    mutating func moveStream(of app: AppID, at version: Version) {
        let slot = streamSlot(app)
        if streams[slot].move(at: version) { movedStreams.append(slot) }
    }

    /// Moves the stream of a row that the event at `version` changed, once for each event.
    mutating func moveStream(_ number: Int, at version: Version) {
        guard let slot = rows.entries[number].stream else { return }
        if streams[slot].move(at: version) { movedStreams.append(slot) }
        let place = streams[slot].count
        rows.entries[number].place = place
        streams[slot].order.append(number, at: place)
        if streams[slot].order.count > 2 * streams[slot].rowCount + 256 {
            streams[slot].order.compact { rows.entries[$0.number].isCurrent(slot, at: $0.version) }
        }
    }

    /// Ends an event, and returns the keys of the streams that it moved.
    mutating func endStreams() -> [RowKey] {
        guard !movedStreams.isEmpty else { return [] }
        var keys: [RowKey] = []
        for slot in movedStreams {
            let changes = streams[slot].order.changes
            var (sum, index) = (UInt64(0), changes.count - 1)
            while index >= 0, changes[index].version == streams[slot].count {
                sum &+= rows.entries[changes[index].number].fingerprint
                index -= 1
            }
            streams[slot].end(sum)
            keys.append(streams[slot].key)
        }
        movedStreams.removeAll(keepingCapacity: true)
        return keys
    }

    /// Makes every cursor below the streams' ends need a snapshot: tombstones are gone of which this fold knows
    /// nothing.
    mutating func closeStreams() -> [RowKey] {
        for slot in streams.indices { streams[slot].horizon = streams[slot].count }
        return streams.map(\.key)
    }

    /// Records that a rebuild changed the row, whose stream has moved.
    mutating func markRebuilt(_ key: RowKey) {
        guard key.isSeenByApp, let slot = key.app.flatMap({ streamSlots[$0] }) else { return }
        streams[slot].rebuiltAt = streams[slot].count
    }
}

extension RowKey {
    /// Whether the row is part of an app's stream.
    var isSeenByApp: Bool { app != nil && collection.isSeenByApps }
}

extension RowCollection {
    /// Whether the app whose rows they are may see them (rule Z1): not what became of alerts, which depends on the
    /// Focus and on other apps.
    var isSeenByApps: Bool { Self.seenByApps.contains(self) }

    private static let seenByApps = RowCollections(
        allCases.filter { $0.isPublic && $0 != .alerts && $0 != .classAlerts })
}
