/// Rule I3: counts per person, for each app and over all of them, and the rows that follow from them. Nothing here is
/// stored beside the donations: loading them counts again.
extension AppRecord {
    /// Adds a donation to the counts, and inserts the people that it counts for into `affected`.
    mutating func add(_ donation: Donation, _ affected: inout Set<ByteText>, _ shared: inout SharedState) {
        shared.interactionBytes += donation.approximateBytes
        for person in donation.people {
            affected.insert(person)
            people[person, default: PersonTally()].add(donation.direction, at: donation.startedAt)
            shared.people[person, default: PersonTally()].add(donation.direction, at: donation.startedAt)
        }
    }

    /// Subtracts a donation that was added, and inserts the people that it counted for into `affected`.
    mutating func subtract(_ donation: Donation, _ affected: inout Set<ByteText>, _ shared: inout SharedState) {
        shared.interactionBytes -= donation.approximateBytes
        for person in donation.people {
            affected.insert(person)
            people[person]?.remove(donation.direction, at: donation.startedAt)
            shared.people[person]?.remove(donation.direction, at: donation.startedAt)
        }
    }

    /// Writes the rows of these people, of the app and over all apps.
    mutating func writeSuggestions(_ affected: Set<ByteText>, _ shared: inout SharedState) {
        for person in affected.sorted() {
            if people[person]?.isEmpty == true { people[person] = nil }
            if shared.people[person]?.isEmpty == true { shared.people[person] = nil }
            shared.writeSuggestion(RowKey(.suggestions, app: app, key: person.text), people[person])
            shared.writeSuggestion(RowKey(.suggestions, key: person.text), shared.people[person])
        }
    }
}

extension SharedState {
    fileprivate mutating func writeSuggestion(_ key: RowKey, _ tally: PersonTally?) {
        if let row = tally.flatMap(SuggestionRow.init) {
            put(key, row.encoded)
        } else {
            remove(key)
        }
    }
}
