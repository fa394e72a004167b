import CLibPQ
import Foundation

/// The only place that waits on the socket.
extension PostgresConnection {
    /// What a wait for the socket ended with.
    enum Readiness {
        /// The socket is ready for these events.
        case ready(Int32)
        /// The time is over.
        case silent
        /// Nobody is to wait any more (`PostgresInterrupt`).
        case interrupted
    }

    /// Waits until the socket is ready for one of `events` (`POLLIN`, `POLLOUT`), or `limit` has passed.
    func poll(_ events: Int32, limit: Duration?) -> Readiness {
        let socket = PQsocket(handle.pointer)
        guard socket >= 0 else { return .ready(POLLERR) }
        let deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        let isSliced = configuration.interrupt != nil || whileWaiting != nil
        while true {
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            if configuration.interrupt?.isRaised == true { return .interrupted }
            let end = isSliced ? ContinuousClock.now.advanced(by: PostgresInterrupt.slice) : deadline
            let next = deadline.map { min($0, end ?? $0) } ?? end
            let ready = Foundation.poll(&descriptor, 1, Self.milliseconds(until: next))
            if ready > 0 { return .ready(Int32(descriptor.revents)) }
            if ready == 0, deadline.map({ $0 <= ContinuousClock.now }) ?? false { return .silent }
            // Otherwise interrupted by a signal, or the timeout was cut: wait for the rest.
            if ready == 0 { whileWaiting?() }
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline)
        // Rounded up, so that the last round does not spin.
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: max(0, milliseconds))
    }

    /// Sends what libpq has buffered, and takes in what arrives meanwhile: a server that waits for us to read would
    /// otherwise never read what we send.
    func flush() throws(PostgresError) {
        while true {
            let state = PQflush(handle.pointer)
            if state == 0 { return }
            // The reason is read with the result, which may hold what the server said before it closed.
            if state < 0 { return }
            let ready = try waitForAnswer(POLLIN | POLLOUT)
            if ready & ~POLLOUT != 0, PQconsumeInput(handle.pointer) == 0 { return }
        }
    }

    /// The next result of what was sent; nil at its end. The caller clears it.
    func nextResult() throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle.pointer) != 0 {
            try waitForInput()
            if PQconsumeInput(handle.pointer) == 0 { break }
        }
        return PQgetResult(handle.pointer)
    }

    func waitForInput() throws(PostgresError) {
        _ = try waitForAnswer(POLLIN)
    }

    /// Waits for room in the socket's send buffer, during COPY in.
    func waitForRoom() throws(PostgresError) {
        let ready = try waitForAnswer(POLLIN | POLLOUT)
        if ready & ~POLLOUT != 0 { PQconsumeInput(handle.pointer) }
    }

    /// Waits while an answer is due; gives the connection up when nothing comes in time.
    private func waitForAnswer(_ events: Int32) throws(PostgresError) -> Int32 {
        switch poll(events, limit: silenceLimit) {
        case .ready(let ready): return ready
        case .silent: throw abandon("the server did not answer in time")
        case .interrupted: throw abandon("interrupted")
        }
    }

    private func abandon(_ message: String) -> PostgresError {
        (isBroken, isAbandoned) = (true, true)
        return PostgresError(kind: .connectionLost, message: message)
    }

    /// The error of a call that could not even be sent.
    func sendFailure() -> PostgresError {
        let isLost = PQstatus(handle.pointer) != CONNECTION_OK
        if isLost { isBroken = true }
        return PostgresError(kind: isLost ? .connectionLost : .usage, connection: handle.pointer)
    }

    func requireUsable() throws(PostgresError) {
        guard isUsable else { throw PostgresError(kind: .connectionLost, message: "the connection is closed") }
        guard !isCopying else { throw PostgresError(kind: .usage, message: "a COPY is under way") }
    }
}
