import DequeModule
import FocusCore

/// The users for whom bulk makes room (rule Q1): whoever was quiet and asked for little, beside others who asked for much, is
/// one of them for a while. Whoever goes on until they are held back as bulk leaves, and when none is left nobody makes room:
/// of many who begin together each is quiet at first, and all of them would rest for users who are bulk themselves by then.
struct QuietUsers {
    /// So many times are remembered with their users. A user whose time is not remembered keeps it until it is over, whatever
    /// they ask for.
    static let remembered = 4_096

    private var ends: [UserID: MonotonicTime] = [:]
    /// Each time that a user was given, the last at the end. A user who left, or was given another since, is here still.
    private var order: Deque<(id: UserID, end: MonotonicTime)> = []
    /// When the last time is over whose user is not remembered any more.
    private var endOfOthers = MonotonicTime(milliseconds: .min)

    /// Until when bulk makes room; in the past when there is nobody for whom it would.
    var end: MonotonicTime { max(order.last?.end ?? endOfOthers, endOfOthers) }

    /// Has bulk make room for the user until `end`, which is not before that of the others.
    mutating func insert(_ id: UserID, until end: MonotonicTime) {
        guard ends.updateValue(end, forKey: id) != end else { return }
        order.append((id, end))
        guard order.count > Self.remembered, let first = order.popFirst(), ends[first.id] == first.end else { return }
        ends[first.id] = nil
        endOfOthers = first.end
    }

    mutating func remove(_ id: UserID) {
        guard ends.removeValue(forKey: id) != nil else { return }
        while let last = order.last, ends[last.id] != last.end { order.removeLast() }
    }
}
