import Waits

/// Requests from any thread to the one thread that receives them: a lane's, or that of a service beside it.
///
/// What waits here is bounded by what the senders may have under way: by the inbound budget (`LaneRequest.charge`), or by
/// a few requests of a kind for each session or partition. A lane empties it also while it waits for the database
/// (`LaneWorker.serveWithoutDatabase`), because devices connect again and again meanwhile.
// @unchecked: everything mutable is used under `condition` only.
final class Mailbox<Request: Sendable>: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var requests: [Request] = []
    /// How many requests must wait before the reader is woken; nil while it does not wait.
    private var wanted: Int?

    /// How many requests wait.
    var count: Int { condition.withLock { requests.count } }

    func post(_ request: Request) {
        condition.lock()
        requests.append(request)
        let wakes = wanted.map { requests.count >= $0 } ?? false
        if wakes { wanted = nil }
        condition.unlock()
        if wakes { condition.signal() }
    }

    /// Removes and returns everything that waits, as soon as that are `count` requests or the deadline has passed. The
    /// result may be empty.
    /// - Parameters:
    ///   - count: more than 1 when many requests are expected together: to wake the thread for each would cost more
    ///     than the requests do.
    ///   - deadline: nil waits for as long as it takes.
    func receive(atLeast count: Int = 1, until deadline: Deadline? = nil) -> [Request] {
        condition.lock()
        defer { condition.unlock() }
        while requests.count < count {
            wanted = count
            guard let deadline else {
                condition.wait()
                continue
            }
            guard condition.wait(until: deadline) else { break }
        }
        wanted = nil
        defer { requests = [] }
        return requests
    }
}
