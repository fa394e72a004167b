import FocusCore

/// A few of the users for whom bulk makes room (rule Q1): they asked for little last, beside others who asked for much. Who
/// goes on to ask for much leaves them, and when none is left nobody makes room: of many who begin together each asks for
/// little at first, and all of them would rest for users who are bulk themselves by then.
struct QuietUsers {
    /// A few stand for all: as long as one of them asks for little, bulk makes room for everybody who does.
    static let most = 16

    /// Whose time ends last is at the end.
    private var users: [(id: UserID, end: MonotonicTime)] = []

    /// Until when bulk makes room; in the past when there is nobody for whom it would.
    var end: MonotonicTime { users.last?.end ?? MonotonicTime(milliseconds: .min) }

    /// Has bulk make room for the user until `end`, which is not before that of the others.
    mutating func insert(_ user: UserID, until end: MonotonicTime, now: MonotonicTime) {
        users.removeAll { $0.id == user || $0.end <= now }
        if users.count < Self.most { users.append((user, end)) }
    }

    mutating func remove(_ user: UserID) { users.removeAll { $0.id == user } }
}
