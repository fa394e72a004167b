import FocusCore

/// Whether other users' Focus is on, as far as they share it: the current statuses first, then changes (rule V1). Each
/// element has the statuses that changed since the reader got the one before; it does not name a user about whom the
/// server has told nothing yet. The sequence ends when the client is closed. When nothing holds it any more, the client
/// stops watching its users.
public struct PeerChanges: AsyncSequence, Sendable {
    public typealias Element = [PeerStatus]

    let observer: PeerObserver

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: PeerObserver

        public mutating func next() async -> [PeerStatus]? { await observer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }
}
