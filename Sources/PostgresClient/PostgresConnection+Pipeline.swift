import CLibPQ
import Foundation

extension PostgresConnection {
    /// Sends all requests in one round trip and returns their results in order.
    ///
    /// Outside a transaction they are one implicit transaction: if one fails, none has happened and its error is
    /// thrown. COPY is not possible in a pipeline. Statements used for the first time are prepared before, in round
    /// trips of their own.
    public func pipeline(
        _ requests: [(Statement, [PostgresValue])]
    ) throws(PostgresError) -> [PostgresResult] {
        guard !requests.isEmpty else { return [] }
        guard let prologue = configuration.prologue, isIdle else { return try sendTogether(requests) }
        return Array(try sendTogether([(prologue.statement, prologue.values)] + requests).dropFirst())
    }

    /// Sends the requests in one round trip, without the configuration's prologue.
    func sendTogether(_ requests: [(Statement, [PostgresValue])]) throws(PostgresError) -> [PostgresResult] {
        try requireUsable()
        for (statement, values) in requests where configuration.usesPreparedStatements {
            do throws(PostgresError) {
                _ = try prepare(statement, values)
            } catch {
                throw error.during(statement)
            }
        }
        guard PQenterPipelineMode(handle.pointer) == 1 else { throw sendFailure() }
        do throws(PostgresError) {
            return try exchange(requests)
        } catch {
            // The mode is still on only after a failure to send or to receive: otherwise the pipeline was read to its
            // end.
            if PQpipelineStatus(handle.pointer) != PQ_PIPELINE_OFF { isBroken = true }
            throw error
        }
    }

    private func exchange(
        _ requests: [(Statement, [PostgresValue])]
    ) throws(PostgresError) -> [PostgresResult] {
        handle.notices.replicationUnconfirmed = false
        for (statement, values) in requests {
            let entry = prepared.entry(for: statement, values: values)
            let name = configuration.usesPreparedStatements ? entry?.serverName : nil
            try enqueue(statement, values, prepared: name)
            try flush()
        }
        guard PQpipelineSync(handle.pointer) == 1 else { throw sendFailure() }
        try flush()

        var results: [PostgresResult] = []
        results.reserveCapacity(requests.count)
        var failure: PostgresError?
        for (statement, _) in requests {
            let outcome = try readPipelined()
            if let error = outcome.error {
                if Self.isStalePlan(error) { prepared.forget(statement) }
                failure = failure ?? error.during(statement)
            }
            if let last = outcome.last, last.isComplete { results.append(last) }
            if PQstatus(handle.pointer) != CONNECTION_OK { break }
        }
        let endFailure = try leavePipeline()
        if failure == nil, endFailure == nil, results.count != requests.count {
            failure = PostgresError(kind: .usage, message: "an empty statement or a COPY in a pipeline")
        }
        try QueryOutcome(error: failure ?? endFailure).check(self)
        return results
    }

    private func readPipelined() throws(PostgresError) -> QueryOutcome {
        var outcome = QueryOutcome()
        while let result = try nextResult() {
            outcome.consume(result, connection: handle.pointer)
            guard PQstatus(handle.pointer) == CONNECTION_OK, !outcome.isCopy else {
                // libpq has no way out of a COPY in a pipeline.
                if outcome.isCopy { close() }
                break
            }
        }
        return outcome
    }

    /// Reads to the sync that ends the pipeline; without it the connection is of no more use.
    /// - Returns: the error of the implicit commit, such as a deferred constraint.
    private func leavePipeline() throws(PostgresError) -> PostgresError? {
        var failure: PostgresError?
        // Each result is followed by a nil; more than one in a row means that nothing is left.
        var nils = 0
        while PQstatus(handle.pointer) == CONNECTION_OK, nils < 2 {
            guard let result = try nextResult() else {
                nils += 1
                continue
            }
            nils = 0
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                PQclear(result)
                if PQexitPipelineMode(handle.pointer) != 1 { isBroken = true }
                return failure
            }
            var outcome = QueryOutcome()
            outcome.consume(result, connection: handle.pointer)
            failure = failure ?? outcome.error
        }
        isBroken = true
        return failure
    }
}
