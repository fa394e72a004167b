import NIOConcurrencyHelpers

/// A question to all lanes at once. Each answers on its thread, between two turns.
final class LaneInquiry<Answer: Sendable>: Sendable {
    private struct State {
        var answers: [Answer] = []
        var waiting: CheckedContinuation<[Answer]?, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// The answers of all lanes, in no order; nil when one of them has not answered in time, because it waits for its
    /// database.
    static func ask(
        _ lanes: [Lane], patience: Duration = .seconds(2), _ read: @escaping @Sendable (LaneWorker) -> Answer
    ) async -> [Answer]? {
        let inquiry = LaneInquiry()
        return await withCheckedContinuation { done in
            inquiry.state.withLockedValue { $0.waiting = done }
            for lane in lanes {
                lane.post(.inquire { inquiry.add(read($0), of: lanes.count) })
            }
            Task {
                // Nobody cancels it.
                try? await Task.sleep(for: patience)
                inquiry.state.withLockedValue { $0.waiting.take() }?.resume(returning: nil)
            }
        }
    }

    private func add(_ answer: Answer, of count: Int) {
        let (waiting, answers) = state.withLockedValue { state -> (CheckedContinuation<[Answer]?, Never>?, [Answer]) in
            state.answers.append(answer)
            return state.answers.count == count ? (state.waiting.take(), state.answers) : (nil, [])
        }
        waiting?.resume(returning: answers)
    }
}
