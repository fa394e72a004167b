/// Rule S9: a snapshot of just the collections that a device asks for. It begins when everything else was sent, and
/// ends with the cursor that the device had then: deltas go on from there, and may repeat what the snapshot had.
extension Subscription {
    /// Sends these collections afresh; all when the list is empty.
    public mutating func resync(_ collections: [RowCollection]) {
        guard !collections.isEmpty else { return restart() }
        // A device that asks for what it may not see is told by a checkpoint what it sees.
        owesCheckpoint = true
        // A whole snapshot under way replaces them too.
        if case .paging(nil, _, _, _) = phase { return }
        resyncs.formUnion(collections.filter { view.holds($0) })
    }

    mutating func beginResync(_ state: UserState) -> [ServerMessage] {
        guard !resyncs.isEmpty else { return [] }
        let collections = resyncs
        resyncs = []
        owesCheckpoint = true
        let cursor = cursor(state)
        phase = .resyncing(
            collections, began: cursor.version, position: .snapshot(of: cursor.version), cursor: cursor)
        return [.snapshotBegin(version: cursor.version, collections: collections.sorted())] + advance(state)
    }

    mutating func resyncPage(
        _ state: UserState, _ collections: Set<RowCollection>, began: Version, after position: SyncPosition,
        _ cursor: Cursor
    ) -> [ServerMessage] {
        // Tombstones of rows that these pages have sent already were dropped: begin again, with everything.
        if state.head(of: view).horizon > began {
            restart()
            return advance(state)
        }
        var part = view
        part.collections = collections
        let page = state.rows(after: position, in: part, limitBytes: pageBytes)
        var messages: [ServerMessage] = page.rows.isEmpty ? [] : [.snapshotRows(page.rows)]
        guard page.isComplete else {
            phase = .resyncing(collections, began: began, position: page.next, cursor: cursor)
            return messages
        }
        phase = .live(cursor.version)
        mark = cursor.event
        messages.append(.snapshotEnd(cursor))
        return messages
    }
}
