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

    private typealias Waiter = CheckedContinuation<ServerMessage, any Error>

    private struct State {
        var messages: [ServerMessage] = []
        var next = 0
        var end: (any Error)?
        var receivedBytes = 0
        var waiter: Waiter?
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

    /// Nobody is resumed under this lock: whoever cancels the reader's task holds a lock of the task while it calls
    /// `end`, and whoever resumes the reader needs that one.
    private let state = NIOLockedValueBox(State())

    func enqueue(_ message: ServerMessage) {
        let waiter = state.withLockedValue { state -> Waiter? in
            if let waiter = state.waiter.take() { return waiter }
            if state.messages.count < Self.limit {
                state.messages.append(message)
            } else {
                state.end = CaseFailure("the server sent \(Self.limit) messages that nobody had asked for")
            }
            return nil
        }
        waiter?.resume(returning: message)
    }

    /// The number of bytes received, as whole frames or parts of them.
    var receivedBytes: Int { state.withLockedValue { $0.receivedBytes } }
    /// Whether no more messages come.
    var isEnded: Bool { state.withLockedValue { $0.end != nil } }

    func received(bytes: Int) { state.withLockedValue { $0.receivedBytes += bytes } }

    /// Ends the inbox. What came before can still be read.
    func end(_ error: any Error) {
        let waiter = state.withLockedValue { state in
            if state.end == nil { state.end = error }
            return state.waiter.take()
        }
        waiter?.resume(throwing: error)
    }

    func next(within seconds: Double, on loop: any EventLoop) async throws -> ServerMessage {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch wait(continuation) {
                case .ticket(let ticket):
                    loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [self] in timeOut(ticket) }
                case .answer(let answer): continuation.resume(with: answer)
                }
            }
        } onCancel: {
            end(CancellationError())
        }
    }

    private enum Wait {
        /// The reader is registered, as this one.
        case ticket(Int)
        case answer(Result<ServerMessage, any Error>)
    }

    /// Registers the reader, unless there is something for it already.
    private func wait(_ waiter: Waiter) -> Wait {
        state.withLockedValue { state in
            if let message = state.removeFirst() { return .answer(.success(message)) }
            if let end = state.end { return .answer(.failure(end)) }
            state.waiter = waiter
            state.ticket += 1
            return .ticket(state.ticket)
        }
    }

    private func timeOut(_ ticket: Int) {
        let waiter = state.withLockedValue { $0.ticket == ticket ? $0.waiter.take() : nil }
        waiter?.resume(throwing: Silence.late)
    }
}
