import FocusCore
import Foundation
import PostgresClient

extension Rebuilder {
    /// Does everything that is left to do until each partition shows the generation.
    func run(
        _ target: Generation, verifies: Bool, keepsOld: Bool, _ log: LogIdentity, on connection: PostgresConnection
    ) throws -> RebuildReport {
        let heads = try LogReader().heads(of: log.allPartitions, on: connection)
        let places = try RebuildPlace.read(of: target, on: connection)
        let folds = Dictionary(
            uniqueKeysWithValues: try KnownGeneration.all(on: connection).map { ($0.generation.number, $0.foldVersion) }
        )
        let work = RebuildWork(
            places: places, events: places.reduce(0) { $0 + Int($1.through.rawValue) }, report: report)
        let probe = options.maximumLoad < 100 ? try CommitLatencyProbe(planned) : nil
        defer { probe?.stop() }
        let job = RebuildJob(
            options: options, target: target, verifies: verifies, folds: folds,
            shown: Dictionary(uniqueKeysWithValues: heads.map { ($0.partition, Generation($0.generation)) }),
            work: work,
            probe: probe, slots: slots)
        try inParallel(preparing) { [options] connection in
            // On Linux this is the priority of this thread alone. If it may not be lowered further, it stays as
            // inherited.
            if options.niceness > 0 { _ = nice(options.niceness) }
            if options.niceness > 0, options.isOnThisMachine { connection.lowerPriority(options.niceness) }
            try job.prepare(on: connection)
        }
        // Nothing is shown before everything is filled and verified.
        work.beginCutOver()
        try inParallel(planned) { connection in try job.cutOver(on: connection) }
        _ = try connection.query(Queries.finishRebuild, [.int4(target.number)])
        var summary = work.summary(
            target, heads.map(\.generation),
            RebuildPlace.eventCount(try RebuildPlace.read(of: target, on: connection)))
        summary.keepsOld = keepsOld
        return summary
    }

    /// Where PostgreSQL runs on this machine, one processor is left to appends: an append passes through half a dozen
    /// threads, and with all processors taken it waits for each of them.
    private var slots: DispatchSemaphore? {
        guard options.isOnThisMachine, options.maximumLoad < 100 else { return nil }
        return DispatchSemaphore(value: max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
    }

    /// The connections of workers that fill and compare, whose commits do not wait for the disk: rows and place are
    /// written in one transaction, so what a crash of the server loses is done again, and the disk is left to the
    /// appends' flushes. The cut-over's events are what devices are shown: it waits for its flush.
    private var preparing: PostgresConfiguration {
        var preparing = planned
        if owner.usesPreparedStatements { preparing.settings["synchronous_commit"] = "off" }
        return preparing
    }

    /// The connections of all workers. Every statement goes by keys: it is planned once, with indexes, whatever size a
    /// table had at that moment. Planning the load of users takes longer than the load, and a cut-over would do it
    /// while appends wait.
    private var planned: PostgresConfiguration {
        var planned = owner
        // A pooler in transaction mode refuses settings.
        guard owner.usesPreparedStatements else { return planned }
        planned.settings["plan_cache_mode"] = "force_generic_plan"
        planned.settings["enable_seqscan"] = "off"
        return planned
    }

    private func inParallel(
        _ configuration: PostgresConfiguration, _ body: @escaping @Sendable (PostgresConnection) throws -> Void
    ) throws {
        let failed = Failure()
        var threads: [PostgresThread] = []
        for index in 0..<options.parallel {
            threads.append(
                try PostgresThread(name: "rebuild-\(index)") {
                    do {
                        let connection = try PostgresConnection(configuration)
                        defer { connection.close() }
                        try SessionRole.assume(on: connection)
                        try body(connection)
                    } catch {
                        failed.record(error)
                    }
                })
        }
        for thread in threads { thread.join() }
        if let error = failed.error { throw error }
    }
}
