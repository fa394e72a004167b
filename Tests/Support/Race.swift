import Foundation

/// Runs both at the same moment, on threads of their own.
/// - Returns: whether both ended within 20 seconds, far more than either takes: false when they wait for each other.
public func race(
    _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) async -> Bool {
    let (started, ended) = (DispatchGroup(), DispatchGroup())
    for _ in 0..<2 { started.enter() }
    for body in [first, second] {
        ended.enter()
        Thread {
            started.leave()
            started.wait()
            body()
            ended.leave()
        }.start()
    }
    return await withCheckedContinuation { done in
        Thread { done.resume(returning: ended.wait(timeout: .now() + 20) == .success) }.start()
    }
}
