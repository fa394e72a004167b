import CLibPQ
import Foundation

extension PostgresConnection {
    /// Sends rows with `COPY … FROM STDIN`. If `write` throws, nothing is copied and its error is rethrown.
    /// The statement takes no parameters. The connection serves nothing else until `write` returns.
    /// - Returns: rows copied.
    @discardableResult
    public func copyIn(_ statement: Statement, _ write: (inout CopyWriter) throws -> Void) throws -> Int {
        let isBinary = try startCopy(statement, expecting: PGRES_COPY_IN)
        isCopying = true
        defer { isCopying = false }
        var writer = CopyWriter(self, isBinary: isBinary)
        do {
            try write(&writer)
            try writer.finish()
        } catch {
            // The server answers with an error of its own, which says no more than `error` does, unless `error` is
            // the broken connection.
            if isUsable { _ = try? endCopyIn(statement, reason: "cancelled by the client") }
            throw error
        }
        return try endCopyIn(statement, reason: nil)
    }

    /// Receives the rows of `COPY … TO STDOUT`, one call for each; the bytes are valid during the call only.
    ///
    /// In binary format a row is a tuple (see `CopyRow`), without the stream's header and trailer; in text format it
    /// is a line with its end. If `row` throws, the COPY is cancelled and the error rethrown.
    /// - Returns: rows received.
    @discardableResult
    public func copyOut(_ statement: Statement, _ row: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
        let isBinary = try startCopy(statement, expecting: PGRES_COPY_OUT)
        isCopying = true
        defer { isCopying = false }
        var framing = CopyFraming(isBinary: isBinary)
        var rows = 0
        var failure: (any Error)?
        while let message = try nextCopyMessage() {
            defer { PQfreemem(message.baseAddress) }
            guard failure == nil else { continue }
            do {
                guard let bytes = try framing.row(in: UnsafeRawBufferPointer(message)) else { continue }
                rows += 1
                try row(bytes)
            } catch {
                failure = error
                cancellation.cancel()
            }
        }
        if let failure {
            // Either the cancellation, or the COPY had ended before it; both leave the connection ready.
            _ = try? readResult()
            throw failure
        }
        do throws(PostgresError) {
            try readResult()
        } catch {
            throw error.during(statement)
        }
        return rows
    }

    /// - Returns: whether the format is binary.
    private func startCopy(
        _ statement: Statement, expecting status: ExecStatusType
    ) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            try requireUsable()
            guard PQsendQuery(handle.pointer, statement.sql) == 1 else { throw sendFailure() }
            try flush()
            if let result = try nextResult() {
                let isBinary = PQbinaryTuples(result) == 1
                if PQresultStatus(result) == status {
                    PQclear(result)
                    return isBinary
                }
                var outcome = QueryOutcome()
                outcome.consume(result, connection: handle.pointer)
                while !outcome.isCopy, let more = try nextResult() { PQclear(more) }
                if outcome.isCopy { close() } else { try outcome.check(self) }
            }
            throw PostgresError(kind: .usage, message: "not a COPY in this direction")
        } catch {
            throw error.during(statement)
        }
    }

    private func endCopyIn(_ statement: Statement, reason: String?) throws(PostgresError) -> Int {
        do throws(PostgresError) {
            while true {
                let state = PQputCopyEnd(handle.pointer, reason)
                if state == 1 { break }
                if state < 0 { throw copyFailure() }
                try waitForRoom()
            }
            return try readResult().result().affectedRows
        } catch {
            throw error.during(statement)
        }
    }

    /// Hands rows to libpq; waits when its buffer cannot be sent.
    func putCopyData(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), !bytes.isEmpty else { return }
        while true {
            let state = PQputCopyData(handle.pointer, start, Int32(bytes.count))
            if state == 1 { break }
            if state < 0 { throw copyFailure() }
            try waitForRoom()
        }
        // libpq would otherwise keep everything that the socket does not take.
        try flush()
    }

    /// During a COPY in, the reason is in the result.
    private func copyFailure() -> PostgresError {
        do throws(PostgresError) {
            try readResult()
            return sendFailure()
        } catch {
            return error
        }
    }

    /// The next message of a COPY out, the caller's to free; nil at the end.
    private func nextCopyMessage() throws(PostgresError) -> UnsafeMutableRawBufferPointer? {
        while true {
            var message: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle.pointer, &message, 1)
            if count > 0 { return UnsafeMutableRawBufferPointer(start: message, count: Int(count)) }
            // −1 is the end, −2 a failure; the result tells more.
            if count < 0 { return nil }
            try waitForInput()
            if PQconsumeInput(handle.pointer) == 0 { throw sendFailure() }
        }
    }
}
