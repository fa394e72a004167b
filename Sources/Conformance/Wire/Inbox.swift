import FocusCore
import NIOConcurrencyHelpers
import NIOCore

/// Why no message comes.
enum Silence: Error, CustomStringConvertible {
    /// The connection ended.
    case closed
    /// Nothing came in time.
    case late

    var description: String {
        switch self {
        case .closed: "the server closed the connection"
        case .late: "the server said nothing in time"
        }
    }
}

/// Messages in order. The next one is waited for until a deadline. For one reader.
final class Inbox: Sendable {
    /// How many messages may wait to be read; a server that sends more fails the case.
    private static let limit = 200_000

    private struct State {
        var messages: [ServerMessage] = []
        var next = 0
        var end: (any Error)?
        var receivedBytes = 0
        var waiter: CheckedContinuation<ServerMessage, any Error>?
        var ticket = 0

        mutating func removeFirst() -> ServerMessage? {
            guard next < messages.count else { return nil }
            defer {
                next += 1
                if next == messages.count {
                    messages.removeAll()
                    next = 0
                }
            }
            return messages[next]
        }
    }

    private let state = NIOLockedValueBox(State())

    func enqueue(_ message: ServerMessage) {
        state.withLockedValue { state in
            if let waiter = state.waiter.take() {
                waiter.resume(returning: message)
            } else if state.messages.count < Self.limit {
                state.messages.append(message)
            } else {
                state.end = CaseFailure("the server sent \(Self.limit) messages that nobody had asked for")
            }
        }
    }

    /// The number of bytes received, as whole frames or parts of them.
    var receivedBytes: Int { state.withLockedValue { $0.receivedBytes } }
    /// Whether no more messages come.
    var isEnded: Bool { state.withLockedValue { $0.end != nil } }

    func received(bytes: Int) { state.withLockedValue { $0.receivedBytes += bytes } }

    /// Ends the inbox. What came before can still be read.
    func end(_ error: any Error) {
        state.withLockedValue { state in
            if state.end == nil { state.end = error }
            state.waiter.take()?.resume(throwing: error)
        }
    }

    func next(within seconds: Double, on loop: any EventLoop) async throws -> ServerMessage {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard let ticket = wait(continuation) else { return }
                loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [self] in timeOut(ticket) }
            }
        } onCancel: {
            end(CancellationError())
        }
    }

    /// Registers the waiting reader and returns its ticket. Nil: the continuation was resumed already.
    private func wait(_ continuation: CheckedContinuation<ServerMessage, any Error>) -> Int? {
        state.withLockedValue { state in
            if let message = state.removeFirst() {
                continuation.resume(returning: message)
            } else if let end = state.end {
                continuation.resume(throwing: end)
            } else {
                state.waiter = continuation
                state.ticket += 1
                return state.ticket
            }
            return nil
        }
    }

    private func timeOut(_ ticket: Int) {
        state.withLockedValue { state in
            guard state.ticket == ticket else { return }
            state.waiter.take()?.resume(throwing: Silence.late)
        }
    }
}
