import Foundation
import Synchronization

/// Requests from any thread to one lane's thread. What may wait here is bounded by what its senders may have under way:
/// appends by the inbound budget, the rest by one of each kind per session.
final class Mailbox<Request: Sendable>: Sendable {
    private let condition = NSCondition()
    private let requests = Mutex<[Request]>([])

    func post(_ request: Request) {
        let wasEmpty = requests.withLock {
            $0.append(request)
            return $0.count == 1
        }
        guard wasEmpty else { return }
        condition.lock()
        condition.signal()
        condition.unlock()
    }

    /// Everything that waits; when nothing does, waits until something does or the deadline has passed.
    /// - Parameter deadline: nil waits as long as it takes.
    func take(until deadline: Date? = nil) -> [Request] {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let taken = takeWaiting()
            if !taken.isEmpty { return taken }
            guard let deadline else {
                condition.wait()
                continue
            }
            guard condition.wait(until: deadline) else { return takeWaiting() }
        }
    }

    private func takeWaiting() -> [Request] {
        requests.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
