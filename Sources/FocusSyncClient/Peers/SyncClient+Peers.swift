import FocusCore

/// Watching other users, the device's side (rules V1 to V4). The client asks again on every connection. A status that
/// is not told again in time becomes unavailable, also while there is no connection.
extension SyncClient {
    /// How many users one client may watch at the same time.
    public static let watchLimit = SessionLimits().watchedUsers

    /// Tells these users' Focus statuses, as far as they share them with this client's user: to an app's client the
    /// status in its app, to a system client that in each app where they share it. The client connects, and goes on
    /// over connections.
    /// - Throws: `SyncClientError.tooManyWatched`, `closed`.
    public func watch(_ users: Set<UserID>) throws -> PeerChanges {
        guard !isClosed else { throw SyncClientError.closed }
        endUnwatched()
        let before = peers.watched
        guard before.union(users).count <= Self.watchLimit else { throw SyncClientError.tooManyWatched }
        let observer = PeerObserver(users)
        peers.observers.append(ClientPeers.Weak(observer: observer))
        observer.publish(peers.book.current(users))
        let new = users.subtracting(before)
        peers.watched = before.union(users)
        if isLive, !new.isEmpty { connection?.send(.watch(new.sorted())) }
        start()
        return PeerChanges(observer: observer)
    }

    /// Sends Watch on a new connection, on which the server does not know yet who is watched.
    func watchAgain() {
        endUnwatched()
        if !peers.watched.isEmpty { connection?.send(.watch(peers.watched.sorted())) }
    }

    func receive(_ statuses: PeerStatuses) {
        endUnwatched()
        var wanted = statuses
        wanted.statuses.removeAll { !peers.watched.contains($0.user) }
        publish(peers.book.receive(wanted, now: .now))
        schedulePeers()
    }

    func finishPeers() {
        peers.timer?.cancel()
        for entry in peers.observers { entry.observer?.finish() }
        peers = ClientPeers()
    }

    private func publish(_ changes: [PeerStatus]) {
        for entry in peers.observers { entry.observer?.publish(changes) }
    }

    /// Stops watching users that no sequence is about any more.
    private func endUnwatched() {
        peers.observers.removeAll { $0.observer?.isFinished ?? true }
        let left = peers.observers.reduce(into: Set<UserID>()) { $0.formUnion($1.observer?.users ?? []) }
        let ended = peers.watched.subtracting(left)
        guard !ended.isEmpty else { return }
        peers.watched = left
        peers.book.forget(ended)
        if isLive { connection?.send(.unwatch(ended.sorted())) }
    }

    private var isLive: Bool { session?.state == .live }

    /// Sets the timer for the moment at which the next status ends (rule V3).
    private func schedulePeers() {
        peers.timer?.cancel()
        guard let deadline = peers.book.deadline else { return }
        let wait = max(0, deadline - .now)
        peers.timer = Task {
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            self.publish(self.peers.book.expire(now: .now))
            self.schedulePeers()
        }
    }
}

/// The users that a client watches, and the observers that are told about them.
struct ClientPeers {
    struct Weak {
        weak var observer: PeerObserver?
    }

    var book = PeerBook()
    var observers: [Weak] = []
    var watched: Set<UserID> = []
    var timer: Task<Void, Never>?
}
