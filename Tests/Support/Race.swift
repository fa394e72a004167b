import Foundation
import Synchronization

/// Runs both at the same moment, on threads of their own.
/// - Returns: whether both ended within 20 seconds, far more than either takes: false when they wait for each other.
public func race(
    _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) async -> Bool {
    let (start, ended) = (StartingLine(), DispatchGroup())
    for body in [first, second] {
        ended.enter()
        Thread {
            start.wait()
            body()
            ended.leave()
        }.start()
    }
    return await withCheckedContinuation { done in
        Thread { done.resume(returning: ended.wait(timeout: .now() + 20) == .success) }.start()
    }
}

/// Lets two threads go on within a fraction of a microsecond of each other: whoever sleeps until the other is there
/// comes too late.
private final class StartingLine: Sendable {
    private let arrived = Atomic(0)

    func wait() {
        arrived.add(1, ordering: .sequentiallyConsistent)
        var looks = 0
        while arrived.load(ordering: .sequentiallyConsistent) < 2 {
            looks += 1
            // The other may need this processor to get here.
            if looks.isMultiple(of: 1_000) { sched_yield() }
        }
    }
}
