import Foundation

/// A bounded number of threads, each with a connection of its own, for work from async code.
///
/// A request waits in a bounded queue for a free thread. The thread connects when it first has work, checks a
/// connection that was idle, and replaces a broken one with full-jitter backoff.
///
/// Bounds: `size` connections; `waitingLimit` waiting requests, beyond which `run` throws `.poolUnavailable`;
/// a request whose thread cannot connect within `connectPatience` fails with the last reason.
public final class PostgresPool: Sendable {
    private let queue: PoolQueue
    private let threads: [PostgresThread]

    /// Makes no connection yet.
    /// - Parameters:
    ///   - size: connections and threads, at least 1.
    ///   - waitingLimit: requests that may wait for a thread.
    ///   - connectPatience: for how long a request's thread tries to connect.
    /// - Throws: `.insufficientResources` when the system gives no threads.
    public init(
        configuration: PostgresConfiguration,
        size: Int,
        waitingLimit: Int = 1024,
        connectPatience: Duration = .seconds(10),
        backoff: Backoff = Backoff()
    ) throws(PostgresError) {
        let queue = PoolQueue(limit: waitingLimit)
        self.queue = queue
        var threads: [PostgresThread] = []
        for index in 0..<max(1, size) {
            threads.append(
                try PostgresThread(name: "pg-pool-\(index)") {
                    var worker = PoolWorker(
                        queue: queue, configuration: configuration, patience: connectPatience, backoff: backoff)
                    worker.run()
                })
        }
        self.threads = threads
    }

    /// Runs `body` on one of the threads with its connection and returns what it returns.
    ///
    /// `body` blocks, does not keep the connection, and leaves no transaction open (one left open is rolled back by
    /// dropping the connection). It is not tried again: after an error with `outcomeIsUnknown` only the caller knows
    /// what that means. Cancelling the task takes a waiting request back; a running one runs to its end.
    /// - Throws: what `body` throws; `.poolUnavailable`; why there is no connection; `CancellationError`.
    public func run<T: Sendable>(_ body: @Sendable @escaping (PostgresConnection) throws -> T) async throws -> T {
        let job = PoolJob<T>(body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.start(continuation)
                if !queue.push(job) {
                    job.fail(PostgresError(kind: .poolUnavailable, message: "the pool's queue is full or closed"))
                }
            }
        } onCancel: {
            job.fail(CancellationError())
            queue.remove(job)
        }
    }

    /// Requests that wait for a thread now.
    public var waitingCount: Int { queue.count }

    /// Takes no more requests, finishes those that are there, and ends the threads and connections. Requests that
    /// would have to wait for a connection fail.
    public func shutdown() async {
        queue.close()
        let threads = threads
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for thread in threads { thread.join() }
                continuation.resume()
            }
        }
    }

    /// Without `shutdown` the threads end when their requests are done.
    deinit { queue.close() }
}
