/// A person's interactions counted by UTC day (rule I3). The counts are whole numbers, so that they come out the same
/// in any order, and deleting subtracts exactly what donating added (rule I4).
struct PersonTally: Hashable, Sendable {
    struct Day: Hashable, Sendable {
        var day: Int64
        var outgoing = 0
        var incoming = 0

        var weight: Int { 2 * outgoing + incoming }
    }

    private(set) var outgoing = 0
    private(set) var incoming = 0
    /// Ascending; a day without interactions is not there.
    private(set) var days: [Day] = []
    /// When each interaction started, ascending.
    private var times: [Timestamp] = []

    var isEmpty: Bool { times.isEmpty }
    /// The bytes of memory that it takes outside of itself, roughly.
    var approximateBytes: Int {
        64 + (times.count * MemoryLayout<Timestamp>.stride + days.count * MemoryLayout<Day>.stride) * 3 / 2
    }
    /// When the newest interaction started.
    var lastAt: Timestamp? { times.last }

    mutating func add(_ direction: InteractionDirection, at time: Timestamp) {
        times.insert(time, at: times.insertionIndex { $0 < time })
        let day = time.utcDay
        let index = days.insertionIndex { $0.day < day }
        if index == days.count || days[index].day != day { days.insert(Day(day: day), at: index) }
        count(direction, 1, at: index)
    }

    /// Removes an interaction that was added before.
    mutating func remove(_ direction: InteractionDirection, at time: Timestamp) {
        let day = time.utcDay
        let (timeIndex, index) = (times.insertionIndex { $0 < time }, days.insertionIndex { $0.day < day })
        guard timeIndex < times.count, times[timeIndex] == time, index < days.count, days[index].day == day else {
            return
        }
        times.remove(at: timeIndex)
        count(direction, -1, at: index)
        if days[index].weight == 0 { days.remove(at: index) }
    }

    private mutating func count(_ direction: InteractionDirection, _ change: Int, at index: Int) {
        switch direction {
        case .incoming:
            incoming += change
            days[index].incoming += change
        case .outgoing:
            outgoing += change
            days[index].outgoing += change
        }
    }

    /// Σ (2·outgoing + incoming) · 2^(−age in days / 14) as of the newest day, summed from the oldest day on. Costs at
    /// most the days of `SuggestionDecay.horizonDays`.
    var score: Double {
        guard let newest = days.last?.day else { return 0 }
        let first = days.insertionIndex { newest - $0.day > SuggestionDecay.horizonDays }
        return days[first...].reduce(0) { $0 + Double($1.weight) * SuggestionDecay.weight(days: newest - $1.day) }
    }
}

extension Array {
    /// The first index whose element is not before; the array is sorted so that the elements that are before come
    /// first.
    fileprivate func insertionIndex(_ isBefore: (Element) -> Bool) -> Int {
        // Mostly the newest is added.
        guard let last, !isBefore(last) else { return count }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
