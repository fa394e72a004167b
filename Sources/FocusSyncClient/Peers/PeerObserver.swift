import FocusCore

/// The newest status of each (user, app) that its reader has not taken yet.
struct WaitingStatuses: Backlog {
    private struct Key: Hashable {
        var user: UserID
        var app: AppID?
    }

    private var newest: [Key: PeerStatus] = [:]
    private var order: [Key] = []

    mutating func add(_ statuses: [PeerStatus]) {
        for status in statuses {
            let key = Key(user: status.user, app: status.app)
            if newest.updateValue(status, forKey: key) == nil { order.append(key) }
        }
    }

    mutating func dequeue() -> [PeerStatus]? {
        guard !order.isEmpty else { return nil }
        defer { self = WaitingStatuses() }
        return order.compactMap { newest[$0] }
    }
}

/// Statuses of some users on their way to one observer.
final class PeerObserver: Sendable {
    let users: Set<UserID>
    private let queue = CoalescingQueue(WaitingStatuses())

    init(_ users: Set<UserID>) { self.users = users }

    var isFinished: Bool { queue.isFinished }

    func publish(_ statuses: [PeerStatus]) {
        let wanted = statuses.filter { users.contains($0.user) }
        guard !wanted.isEmpty else { return }
        queue.change { $0.add(wanted) }
    }

    func finish() { queue.finish() }

    /// One caller at a time.
    func next() async -> [PeerStatus]? { await queue.next() }
}
