extension UserState {
    /// Where a view stands that has everything.
    public func head(of view: View) -> StreamHead {
        guard view.isSilent, let app = view.scope.app else {
            return StreamHead(version: version, event: lastEvent, horizon: horizon)
        }
        guard let slot = shared.store.streamSlots[app] else {
            return StreamHead(version: .zero, event: .none, horizon: .zero)
        }
        // Read where it stands: a copy of the stream would touch a reference count for each of its tables.
        return StreamHead(
            version: shared.store.streams[slot].count, event: shared.store.streams[slot].mark,
            horizon: shared.store.streams[slot].horizon)
    }

    /// Whether the cursor is where some view stands that has everything, of whatever log and view it is.
    public func ends(at cursor: Cursor) -> Bool {
        guard cursor.version > .zero else { return cursor.event == .none }
        return cursor.version == version && cursor.event == lastEvent
            || shared.store.streams.contains { cursor.version == $0.count && cursor.event == $0.mark }
    }

    /// Whether a silent view at this version, with this mark of it (`StreamHead.event`), may have been sent rows of
    /// this very history. What else stands behind it: the digests (rule S9).
    public func mayContinue(_ version: Version, _ mark: EventID, in view: View) -> Bool {
        guard let app = view.scope.app, let slot = shared.store.streamSlots[app] else { return version == .zero }
        return shared.store.streams[slot].mayContinue(version, mark)
    }

    /// The memo of the internal row `stream`: the last event and the horizon.
    var streamMemo: [UInt8] {
        guard version > .zero else { return [] }
        var writer = ProtoWriter()
        writer.presentData(1, lastEvent.bytes)
        writer.int(2, horizon.rawValue)
        return writer.bytes
    }

    mutating func read(streamMemo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(streamMemo)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: lastEvent = try value.uuid(EventID.self)
            case 2: shared.store.horizon = Version(try value.int())
            default: break
            }
        }
    }
}
