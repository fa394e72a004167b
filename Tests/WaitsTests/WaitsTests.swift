import Dispatch
import Synchronization
import Testing
import Waits

import class Foundation.Thread

@Suite("Waits") struct WaitsTests {
    /// Runs waits on a thread of its own, which is left behind if they do not end: a wait that is broken would
    /// otherwise keep all tests from ending.
    private func expectEnd(sourceLocation: SourceLocation = #_sourceLocation, _ waits: @escaping @Sendable () -> Void) {
        let isOver = DispatchSemaphore(value: 0)
        Thread {
            waits()
            isOver.signal()
        }.start()
        #expect(isOver.wait(timeout: .now() + 60) == .success, "it still waits", sourceLocation: sourceLocation)
    }

    @Test("A condition waits by the monotonic clock: a deadline of it, read as a wall clock's, passed decades ago")
    func conditionIsMonotonic() {
        let deadline = Deadline.after(seconds: 0.05)
        expectEnd {
            let condition = MonotonicCondition()
            condition.lock()
            // A condition may wake up spuriously.
            while condition.wait(until: deadline) {}
            condition.unlock()
            #expect(deadline.isPassed)
        }
    }

    @Test("Sleeping is by the monotonic clock too")
    func sleepIsMonotonic() {
        let deadline = Deadline.after(seconds: 0.05)
        expectEnd {
            deadline.sleep()
            #expect(deadline.isPassed)
        }
    }

    @Test("Who waits without a deadline, or for a distant one, is woken by a signal")
    func signals() {
        for deadline in [nil, Deadline.after(seconds: 3_600), .after(seconds: .infinity)] {
            expectEnd {
                let condition = MonotonicCondition()
                let isSet = Mutex(false)
                condition.lock()
                Thread {
                    condition.withLock {
                        isSet.withLock { $0 = true }
                        condition.signal()
                    }
                }.start()
                while !isSet.withLock({ $0 }) {
                    if let deadline { #expect(condition.wait(until: deadline)) } else { condition.wait() }
                }
                condition.unlock()
            }
        }
    }

    @Test("A deadline that has passed is not waited for, and what is no length of time is none")
    func passed() {
        expectEnd {
            let condition = MonotonicCondition()
            condition.lock()
            for deadline in [Deadline.passed, .now, .after(seconds: 0), .after(seconds: -1), .after(seconds: .nan)] {
                while condition.wait(until: deadline) {}
                #expect(deadline.isPassed)
            }
            condition.unlock()
        }
        #expect(Deadline.passed < .now)
    }

    @Test("A pause ends when it is stopped, and none begins after that")
    func stops() {
        let pause = StoppablePause()
        #expect(pause.sleep(seconds: 0))
        expectEnd {
            Thread { pause.stop() }.start()
            while pause.sleep(seconds: 3_600) {}
            #expect(!pause.sleep(seconds: 3_600))
        }
    }
}
