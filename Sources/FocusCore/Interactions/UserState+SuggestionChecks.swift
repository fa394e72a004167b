extension UserState {
    /// Throws unless every suggestion row is what the donations add up to (rule I3), and none is missing.
    func checkSuggestions() throws(FoldError) {
        var expected = try checkSuggestions(of: shared.people, app: nil)
        for slot in apps.indices { expected += try checkSuggestions(of: apps[slot].people, app: apps[slot].app) }
        let found = shared.store.rows.inUse.count { $0.key.collection == .suggestions && !$0.isDeleted }
        guard found == expected else { throw .brokenInvariant("a suggestion without a donation") }
    }

    private func checkSuggestions(of people: [ByteText: PersonTally], app: AppID?) throws(FoldError) -> Int {
        var count = 0
        // Sorted, so that the same rows fail alike everywhere.
        for person in people.keys.sorted() {
            guard let row = people[person].flatMap(SuggestionRow.init) else { continue }
            let key = RowKey(.suggestions, app: app, key: person.text)
            guard let entry = shared.store[key], !entry.isDeleted, entry.value == row.encoded else {
                throw .corruptRow(key)
            }
            count += 1
        }
        return count
    }
}
