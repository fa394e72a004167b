import CLibPQ
import Foundation

/// The only place that waits on the socket.
extension PostgresConnection {
    /// Waits until the socket is ready for one of `events` (`POLLIN`, `POLLOUT`).
    /// - Returns: what it is ready for; 0 when `limit` passed.
    func poll(_ events: Int32, limit: Duration?) -> Int32 {
        let socket = PQsocket(handle.pointer)
        guard socket >= 0 else { return POLLERR }
        let deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = Foundation.poll(&descriptor, 1, Self.milliseconds(until: deadline))
            if ready > 0 { return Int32(descriptor.revents) }
            if ready == 0, deadline.map({ $0 <= ContinuousClock.now }) ?? false { return 0 }
            // Otherwise interrupted by a signal, or the timeout was cut: wait for the rest.
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
            let ready = poll(POLLIN | POLLOUT, limit: configuration.silenceLimit)
            if ready == 0 { throw silent() }
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
        if poll(POLLIN, limit: configuration.silenceLimit) == 0 { throw silent() }
    }

    /// Waits for room in the socket's send buffer, during COPY in.
    func waitForRoom() throws(PostgresError) {
        let ready = poll(POLLIN | POLLOUT, limit: configuration.silenceLimit)
        if ready == 0 { throw silent() }
        if ready & ~POLLOUT != 0 { PQconsumeInput(handle.pointer) }
    }

    private func silent() -> PostgresError {
        isBroken = true
        return PostgresError(kind: .connectionLost, message: "the server did not answer in time")
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
