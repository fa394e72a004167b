import NIOConcurrencyHelpers
import Testing

/// Runs tests of servers a few at a time. Each has one or more servers with connections, threads and processes; on a
/// machine with few cores more than a hundred of them at once would keep one another from answering within any limit.
struct FewAtATime: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        await Self.turnstile.enter()
        defer { Self.turnstile.leave() }
        try await body()
    }

    /// More than there are cores, because many of these tests mostly wait.
    private static let turnstile = Turnstile(places: 8)
}

extension Trait where Self == FewAtATime {
    static var fewAtATime: Self { Self() }
}

/// Lets a limited number through at a time, in the order of arrival.
private final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: NIOLockedValueBox<State>

    init(places: Int) { state = NIOLockedValueBox(State(free: places)) }

    func enter() async {
        await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
            let isFree = state.withLockedValue { state in
                guard state.free > 0 else {
                    state.waiting.append(turn)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume() }
        }
    }

    func leave() {
        let next = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
