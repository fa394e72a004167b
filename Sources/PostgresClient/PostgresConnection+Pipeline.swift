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
            // Only after a failure to send or to hear: otherwise the pipeline was read to its end.
            if PQpipelineStatus(handle.pointer) != PQ_PIPELINE_OFF { isBroken = true }
            throw error
        }
    }

    private func exchange(
        _ requests: [(Statement, [PostgresValue])]
    ) throws(PostgresError) -> [PostgresResult] {
        handle.notices.replicationUnconfirmed = false
        for (statement, values) in requests {
            try parameters.fill(values)
            let entry = prepared.entry(for: statement, types: parameters.types, values: values)
            try enqueue(statement, prepared: configuration.usesPreparedStatements ? entry?.serverName : nil)
            try flush()
        }
        guard PQpipelineSync(handle.pointer) == 1 else { throw sendFailure() }
        try flush()

        var results: [PostgresResult] = []
        results.reserveCapacity(requests.count)
        var failure: PostgresError?
        for (statement, _) in requests {
            var outcome = Outcome()
            while let result = try nextResult() {
                if outcome.isCopy { PQclear(result) } else { outcome.take(result, connection: handle.pointer) }
                if PQstatus(handle.pointer) != CONNECTION_OK { break }
            }
            if let error = outcome.error {
                if Self.isStalePlan(error) { prepared.forget(statement) }
                failure = failure ?? error.during(statement)
            }
            if let last = outcome.last, last.isComplete { results.append(last) }
            if PQstatus(handle.pointer) != CONNECTION_OK { break }
        }
        try leavePipeline()
        var outcome = Outcome(failure: failure)
        if failure == nil, results.count != requests.count {
            outcome = Outcome(failure: PostgresError(kind: .usage, message: "the pipeline has an empty statement or COPY"))
        }
        try outcome.check(self)
        return results
    }

    /// Reads the sync that ends the pipeline; without it the connection is of no more use.
    private func leavePipeline() throws(PostgresError) {
        guard PQstatus(handle.pointer) == CONNECTION_OK, let sync = try nextResult() else {
            isBroken = true
            return
        }
        let isSync = PQresultStatus(sync) == PGRES_PIPELINE_SYNC
        PQclear(sync)
        if !isSync || PQexitPipelineMode(handle.pointer) != 1 { isBroken = true }
    }
}
