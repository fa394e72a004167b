/// Rule I3: counts per person, for each app and over all of them, and the rows that follow from them. Nothing here is
/// stored beside the donations: loading them counts again.
extension UserState {
    /// Adds a donation to the counts or subtracts it, and inserts the people that it counts for into `affected`.
    mutating func tally(
        _ donation: Donation, isAdded: Bool, _ slot: Int, _ affected: inout Set<ByteText>
    ) {
        interactionBytes += isAdded ? donation.approximateBytes : -donation.approximateBytes
        for person in donation.people {
            affected.insert(person)
            if isAdded {
                apps[slot].people[person, default: PersonTally()].add(donation.direction, at: donation.startedAt)
                people[person, default: PersonTally()].add(donation.direction, at: donation.startedAt)
            } else {
                apps[slot].people[person]?.remove(donation.direction, at: donation.startedAt)
                people[person]?.remove(donation.direction, at: donation.startedAt)
            }
        }
    }

    /// Writes the rows of these people, of the app and over all apps.
    mutating func writeSuggestions(_ affected: Set<ByteText>, _ slot: Int, _ context: inout FoldContext) {
        for person in affected.sorted() {
            if apps[slot].people[person]?.isEmpty == true { apps[slot].people[person] = nil }
            if people[person]?.isEmpty == true { people[person] = nil }
            writeSuggestion(
                RowKey(.suggestions, app: apps[slot].app, key: person.text), apps[slot].people[person], &context)
            writeSuggestion(RowKey(.suggestions, key: person.text), people[person], &context)
        }
    }

    private mutating func writeSuggestion(_ key: RowKey, _ tally: PersonTally?, _ context: inout FoldContext) {
        if let row = tally.flatMap(SuggestionRow.init) {
            put(key, row.encoded, &context)
        } else {
            remove(key, &context)
        }
    }

    /// Throws unless every suggestion row is what the donations add up to, and none is missing.
    func checkSuggestions() throws(FoldError) {
        var expected = try checkSuggestions(of: people, app: nil)
        for slot in apps.indices { expected += try checkSuggestions(of: apps[slot].people, app: apps[slot].app) }
        let found = store.rows.inUse.count { $0.key.collection == .suggestions && !$0.isDeleted }
        guard found == expected else { throw .brokenInvariant("a suggestion without a donation") }
    }

    private func checkSuggestions(of people: [ByteText: PersonTally], app: AppID?) throws(FoldError) -> Int {
        var count = 0
        // Sorted, so that the same rows fail alike everywhere.
        for person in people.keys.sorted() {
            guard let row = people[person].flatMap(SuggestionRow.init) else { continue }
            let key = RowKey(.suggestions, app: app, key: person.text)
            guard let entry = store[key], !entry.isDeleted, entry.value == row.encoded else {
                throw .corruptRow(key)
            }
            count += 1
        }
        return count
    }
}
