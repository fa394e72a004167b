import DequeModule
import FocusCore

/// The users for whom bulk makes room (rule Q1): each who asked for little, beside others who asked for much, for a while.
/// Who goes on to ask for much leaves them, and when none is left nobody makes room: of many who begin together each asks
/// for little at first, and all of them would rest for users who are bulk themselves by then.
struct QuietUsers {
    /// How many are remembered by name. Those before them stay until their time is over, whatever they ask for.
    static let named = 4_096

    private var ends: [UserID: MonotonicTime] = [:]
    /// Each time that one of them was given, the last at the end. One who left, or was given another, is here still.
    private var order: Deque<(id: UserID, end: MonotonicTime)> = []
    /// When the time of those is over who are not remembered by name.
    private var endOfOthers = MonotonicTime(milliseconds: .min)

    /// Until when bulk makes room; in the past when there is nobody for whom it would.
    var end: MonotonicTime { max(order.last?.end ?? endOfOthers, endOfOthers) }

    /// Has bulk make room for the user until `end`, which is not before that of the others.
    mutating func insert(_ id: UserID, until end: MonotonicTime) {
        guard ends.updateValue(end, forKey: id) != end else { return }
        order.append((id, end))
        guard order.count > Self.named, let first = order.popFirst(), ends[first.id] == first.end else { return }
        ends[first.id] = nil
        endOfOthers = first.end
    }

    mutating func remove(_ id: UserID) {
        guard ends.removeValue(forKey: id) != nil else { return }
        while let last = order.last, ends[last.id] != last.end { order.removeLast() }
    }
}
