import CLibPQ
import Waits

/// One attempt to connect, on a thread of its own: libpq's own wait, which goes from host to host, cannot be ended.
// @unchecked: everything mutable is used under `condition` only.
final class ConnectionAttempt: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var hasEnded = false
    private var isAbandoned = false
    private var pointer: OpaquePointer?

    /// Returns the connection that libpq made, or tried to make.
    /// - Parameter whileWaiting: called again and again until then.
    static func connect(
        _ parameters: ConnectionParameters, _ interrupt: PostgresInterrupt?, _ whileWaiting: () -> Void
    ) throws(PostgresError) -> OpaquePointer? {
        let interrupted = PostgresError(kind: .connectionLost, message: "interrupted while connecting")
        guard interrupt?.isRaised != true else { throw interrupted }
        let attempt = ConnectionAttempt()
        _ = try PostgresThread(name: "connect") { attempt.end(with: parameters.connect()) }
        while !attempt.waitForEnd() {
            whileWaiting()
            guard interrupt?.isRaised == true else { continue }
            attempt.abandon()
            throw interrupted
        }
        return attempt.pointer
    }

    private func waitForEnd() -> Bool {
        let deadline = Deadline.after(seconds: PostgresInterrupt.slice / .seconds(1))
        return condition.withLock {
            while !hasEnded, condition.wait(until: deadline) {}
            return hasEnded
        }
    }

    private func end(with pointer: OpaquePointer?) {
        let isAbandoned = condition.withLock {
            self.pointer = pointer
            hasEnded = true
            condition.signal()
            return self.isAbandoned
        }
        if isAbandoned { PQfinish(pointer) }
    }

    /// Leaves the attempt to its thread, which ends the connection when it is made.
    private func abandon() {
        let isLate = condition.withLock {
            isAbandoned = !hasEnded
            return hasEnded
        }
        if isLate { PQfinish(pointer) }
    }
}
