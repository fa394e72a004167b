import FocusCore
import PostgresClient

/// Caches states on a thread of its own while its caller folds on: writing one down takes as long as folding some
/// thousand events. A few states wait at most; then the caller does.
final class StateKeeper: Sendable {
    private let queue: ReadAheadQueue<KeptState?>
    private let thread: PostgresThread

    /// - Parameters:
    ///   - head: the last version of the user's stream, which says how densely states are kept.
    ///   - warn: gets each error that keeps a state from being cached.
    /// - Throws: `PostgresError` when the system gives no more threads.
    init(
        _ cache: StateCache, of user: UserID, head: Version, warn: @escaping @Sendable (any Error) -> Void
    ) throws(PostgresError) {
        let queue = ReadAheadQueue<KeptState?>()
        self.queue = queue
        thread = try PostgresThread(name: "keep states") {
            var hasKept = false
            while let kept = try? queue.dequeue() {
                do {
                    try cache.store(kept)
                    hasKept = true
                } catch {
                    warn(error)
                }
            }
            if hasKept { cache.trim(user, head: head) }
        }
    }

    func keep(_ kept: KeptState) {
        if queue.waitForRoom() { queue.enqueue(.success(kept)) }
    }

    /// Returns when all states are kept. Called once, after the last.
    func finish() {
        queue.enqueue(.success(nil))
        thread.join()
    }
}
