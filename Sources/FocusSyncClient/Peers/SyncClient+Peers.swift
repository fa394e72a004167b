import FocusCore

/// Rules V1 to V4, the device's side: asked for again with every connection; what is not told again in time is
/// unavailable, also while there is no connection.
extension SyncClient {
    /// Users whom one client may watch.
    public static let watchLimit = SessionLimits().watchedUsers

    /// Tells of these users' Focus status, as far as they share it with this client's user: an app's client of the status
    /// in its app, a system client of each app where they do. Connects, and goes on over connections.
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

    /// A connection begins: the server knows of nobody yet.
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

    /// Stops watching whom no sequence is about any more.
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

    /// Rule V3.
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

/// Whom a client watches, and who wants to know.
struct ClientPeers {
    struct Weak {
        weak var observer: PeerObserver?
    }

    var book = PeerBook()
    var observers: [Weak] = []
    var watched: Set<UserID> = []
    var timer: Task<Void, Never>?
}
