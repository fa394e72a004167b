import FocusCore

/// Calls that wait for something to become true of the store.
struct Waiters {
    enum Condition: Sendable {
        /// A checkpoint agreed with the rows, on the connection with this number or a later one.
        case verified(connection: Int)
        /// The cursor is at this version or past it.
        case version(Version)
        case rows(@Sendable (DeviceStore) throws -> Bool)
    }

    private struct Waiter {
        let condition: Condition
        let done: CheckedContinuation<Void, any Error>
    }

    private var waiters: [Int: Waiter] = [:]

    var isEmpty: Bool { waiters.isEmpty }

    mutating func add(_ id: Int, _ condition: Condition, _ done: CheckedContinuation<Void, any Error>) {
        waiters[id] = Waiter(condition: condition, done: done)
    }

    /// Resumes the calls whose condition is met, and fails those whose condition throws.
    mutating func check(_ isMet: (Condition) throws -> Bool) {
        for (id, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            do {
                guard try isMet(waiter.condition) else { continue }
                waiters[id] = nil
                waiter.done.resume()
            } catch {
                waiters[id] = nil
                waiter.done.resume(throwing: error)
            }
        }
    }

    mutating func fail(_ id: Int, _ error: any Error) {
        waiters.removeValue(forKey: id)?.done.resume(throwing: error)
    }

    /// Fails the calls that wait for a checkpoint that agrees with the rows.
    mutating func failVerified(_ error: any Error) {
        for (id, waiter) in waiters {
            if case .verified = waiter.condition { fail(id, error) }
        }
    }

    mutating func failAll(_ error: any Error) {
        for id in waiters.keys.sorted() { fail(id, error) }
    }
}
