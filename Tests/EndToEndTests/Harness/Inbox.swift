import Dispatch
import FocusCore
import NIOConcurrencyHelpers

/// The messages that a client of a test received, in order; `take` waits for one with a deadline.
///
/// No message is handed out once the inbox is old, so a loop over messages ends, whatever the server sends.
final class Inbox: Sendable {
    private struct State {
        var messages: [ServerMessage] = []
        var isEnded = false
        var waiter: CheckedContinuation<ServerMessage, any Error>?
        var ticket = 0
    }

    private let state = NIOLockedValueBox(State())
    private let end = ContinuousClock.now + lifetime
    /// Far more than any connection of a test is needed for, under a sanitizer too.
    private static let lifetime = Duration.seconds(1_800)

    func put(_ message: ServerMessage) {
        state.withLockedValue { state in
            if let waiter = state.waiter.take() {
                waiter.resume(returning: message)
            } else {
                state.messages.append(message)
            }
        }
    }

    /// No message comes any more; those that wait can still be taken.
    func finish() {
        state.withLockedValue { state in
            state.isEnded = true
            state.waiter.take()?.resume(throwing: WireError.closed)
        }
    }

    func take(within seconds: Double) async throws -> ServerMessage {
        guard ContinuousClock.now < end else { throw WireError.timeout }
        return try await withCheckedThrowingContinuation { continuation in
            let ticket: Int? = state.withLockedValue { state in
                if !state.messages.isEmpty {
                    continuation.resume(returning: state.messages.removeFirst())
                } else if state.isEnded {
                    continuation.resume(throwing: WireError.closed)
                } else {
                    state.waiter = continuation
                    state.ticket += 1
                    return state.ticket
                }
                return nil
            }
            guard let ticket else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
                state.withLockedValue { state in
                    guard state.ticket == ticket else { return }
                    state.waiter.take()?.resume(throwing: WireError.timeout)
                }
            }
        }
    }
}
