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
        if lastStreamSlot < streams.count, streams[lastStreamSlot].key.app == app { return lastStreamSlot }
        if let slot = streamSlots[app] {
            lastStreamSlot = slot
            return slot
        }
        lastStreamSlot = streams.count
        streams.append(AppStream(app))
        streamSlots[app] = lastStreamSlot
        return lastStreamSlot
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
        if streams[slot].record(number, at: version) { movedStreams.append(slot) }
        rows.entries[number].place = streams[slot].count
        if streams[slot].order.count > 2 * streams[slot].rowCount + 256 {
            streams[slot].order.compact { rows.entries[$0.number].isCurrent(slot, at: $0.version) }
        }
    }

    /// Ends an event, which has moved the streams in `movedStreams`.
    mutating func endStreams() {
        for index in movedStreams.indices {
            let slot = movedStreams[index]
            streams[slot].order.endVersion(streams[slot].count, rows.entries)
            streams[slot].end(lastChanges(of: slot))
        }
        movedStreams.removeAll(keepingCapacity: true)
    }

    /// The sum of the fingerprints of the rows that changed at the stream's end.
    private func lastChanges(of slot: Int) -> UInt64 {
        var (sum, index) = (UInt64(0), streams[slot].order.changes.count - 1)
        while index >= 0, streams[slot].order.changes[index].version == streams[slot].count {
            sum &+= fingerprint(of: streams[slot].order.changes[index].number)
            index -= 1
        }
        return sum
    }

    /// What its app sees of the row. Of a refusal only that there is one: it is for one device of the app (rule E2).
    private func fingerprint(of number: Int) -> UInt64 {
        // Read where it stands: a copy of the entry would touch a reference count for each of its parts.
        let collection = rows.entries[number].key.collection
        var print = Fingerprint(seed: collection.fingerprint)
        guard collection != .refusals else { return print.value }
        print.add(rows.entries[number].key.key.utf8)
        print.add(rows.entries[number].isDeleted ? 1 : 0)
        print.add(rows.entries[number].value)
        return Fingerprint.mix(print.value)
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
