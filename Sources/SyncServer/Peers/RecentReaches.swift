import DequeModule
import FocusCore

/// The last answers to questions of members of audiences (rule V5). A member who asks the same again within a minute
/// gets the same answer, unless what Watch tells them has changed: whoever asks all the time learns of nothing that
/// Watch does not tell more finely than once a minute.
struct RecentReaches {
    /// For how long an answer is given again.
    static let milliseconds: Int64 = 60_000
    /// How many answers are remembered, at about 250 bytes each. Past that the oldest is forgotten.
    static let limit = 65_536

    private struct Key: Hashable {
        var viewer: Viewer
        var question: ReachQuestion
    }

    private struct Entry {
        var reach: Reach
        /// What Watch told at the time.
        var isFocused: Bool
        var endsAt: MonotonicTime
    }

    private var entries: [Key: Entry] = [:]
    /// Every entry once, those that end first at the front; and some that were replaced since.
    private var order: Deque<(key: Key, endsAt: MonotonicTime)> = []

    var count: Int { order.count }

    /// The answer that is given now.
    /// - Parameters:
    ///   - isFocused: what the viewer may see of the user now.
    ///   - decide: gives the answer that holds now.
    mutating func answer(
        _ question: ReachQuestion, _ viewer: Viewer, isFocused: Bool, now: MonotonicTime, wall: Timestamp,
        decide: () -> Reach
    ) -> Reach {
        let key = Key(viewer: viewer, question: question)
        forget(now)
        if let entry = entries[key], entry.isFocused == isFocused, entry.reach.time.map({ $0 > wall }) ?? true {
            return entry.reach
        }
        let entry = Entry(reach: decide(), isFocused: isFocused, endsAt: now.adding(milliseconds: Self.milliseconds))
        entries[key] = entry
        order.append((key, entry.endsAt))
        return entry.reach
    }

    private mutating func forget(_ now: MonotonicTime) {
        while let first = order.first, first.endsAt <= now || order.count >= Self.limit {
            order.removeFirst()
            if entries[first.key]?.endsAt == first.endsAt { entries[first.key] = nil }
        }
    }
}
