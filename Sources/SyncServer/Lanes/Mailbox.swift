import Waits

/// Requests from any thread to one lane's thread. What may wait here is bounded by what its senders may have under way:
/// by the inbound budget (`LaneRequest.cost`), or by one of a kind per session.
// @unchecked: everything mutable is used under `condition` only.
final class Mailbox<Request: Sendable>: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var requests: [Request] = []
    /// How many must wait before the reader is woken; nobody reads while it is nil.
    private var wanted: Int?

    func post(_ request: Request) {
        condition.lock()
        requests.append(request)
        let wakes = wanted.map { requests.count >= $0 } ?? false
        if wakes { wanted = nil }
        condition.unlock()
        if wakes { condition.signal() }
    }

    /// Everything that waits, as soon as `count` requests do, or when the deadline has passed.
    /// - Parameters:
    ///   - count: waking a thread for each of many requests that come together costs more than they do.
    ///   - deadline: nil waits as long as it takes.
    func take(atLeast count: Int = 1, until deadline: Deadline? = nil) -> [Request] {
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
