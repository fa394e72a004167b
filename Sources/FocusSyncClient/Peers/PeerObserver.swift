import FocusCore
import Synchronization

/// Statuses on their way to one observer: the newest of each (user, app) that it has not taken yet.
final class PeerObserver: Sendable {
    private struct Key: Hashable {
        var user: UserID
        var app: AppID?
    }

    private struct State {
        var waiting: [Key: PeerStatus] = [:]
        var order: [Key] = []
        var isFinished = false
        var taker: CheckedContinuation<[PeerStatus]?, Never>?

        /// Nil: nothing to give yet.
        mutating func take() -> [PeerStatus]? {
            guard !order.isEmpty else { return nil }
            defer {
                waiting = [:]
                order = []
            }
            return order.compactMap { waiting[$0] }
        }
    }

    let users: Set<UserID>
    private let state: Mutex<State>

    init(_ users: Set<UserID>) {
        self.users = users
        state = Mutex(State())
    }

    func publish(_ statuses: [PeerStatus]) {
        let wanted = statuses.filter { users.contains($0.user) }
        guard !wanted.isEmpty else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            for status in wanted {
                let key = Key(user: status.user, app: status.app)
                if state.waiting.updateValue(status, forKey: key) == nil { state.order.append(key) }
            }
            guard let taker = state.taker, let batch = state.take() else { return }
            state.taker = nil
            taker.resume(returning: batch)
        }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.taker.take()?.resume(returning: nil)
        }
    }

    /// One caller at a time.
    func next() async -> [PeerStatus]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                state.withLock { state in
                    if let batch = state.take() {
                        taker.resume(returning: batch)
                    } else if state.isFinished || state.taker != nil {
                        taker.resume(returning: nil)
                    } else {
                        state.taker = taker
                    }
                }
            }
        } onCancel: {
            finish()
        }
    }
}

/// Whether others' Focus is on, as far as they share it: the current statuses first, then changes (rule V1). Each element
/// is what changed since the last one was taken; a user of whom nothing was heard yet is not in it. Ends when the client
/// is closed. Watching ends when nobody holds it.
public struct PeerChanges: AsyncSequence, Sendable {
    public typealias Element = [PeerStatus]

    let observer: PeerObserver

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: PeerObserver

        public mutating func next() async -> [PeerStatus]? { await observer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }
}
