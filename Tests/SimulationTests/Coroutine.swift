import Foundation

/// Code that blocks its thread, and that runs only while whoever resumes it waits: so it takes turns with the rest of a
/// simulation, and the same seed makes the same order.
// @unchecked: of the two threads one always waits for the other.
final class Coroutine: @unchecked Sendable {
    /// The fold of a user has deep calls in a debug build, and a thread's usual stack is small.
    private static let stackBytes = 8 << 20
    private let resumed = DispatchSemaphore(value: 0)
    private let paused = DispatchSemaphore(value: 0)
    private(set) var isOver = false
    /// For how many microseconds it pauses.
    private(set) var wait: Int64 = 0

    /// - Parameter body: begins with the first `resume`; it is given this coroutine, to pause it.
    init(_ body: @escaping (Coroutine) -> Void) {
        nonisolated(unsafe) let body = body
        let thread = Thread { [self] in
            resumed.wait()
            body(self)
            isOver = true
            paused.signal()
        }
        thread.stackSize = Self.stackBytes
        thread.start()
    }

    /// Runs the code until it pauses or ends.
    func resume() {
        guard !isOver else { return }
        resumed.signal()
        paused.wait()
    }

    /// Waits for the next `resume`, which is to come after so many microseconds. Called by the code itself.
    func pause(for wait: Int64) {
        self.wait = wait
        paused.signal()
        resumed.wait()
    }
}
