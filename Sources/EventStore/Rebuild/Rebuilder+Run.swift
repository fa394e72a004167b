import FocusCore
import Foundation
import PostgresClient

extension Rebuilder {
    /// Does whatever is left to do, until each partition shows the generation.
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
            // On Linux this sets the priority of this thread alone. If the system does not allow it, the thread keeps
            // the priority that it has inherited.
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

    /// Leaves one processor to appends where PostgreSQL runs on this machine. An append passes through half a dozen
    /// threads; if all processors were taken, it would have to wait for each of them.
    private var slots: DispatchSemaphore? {
        guard options.isOnThisMachine, options.maximumLoad < 100 else { return nil }
        return DispatchSemaphore(value: max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
    }

    /// How workers that fill and compare connect. Their commits do not wait for the disk, which is left to appends: if
    /// PostgreSQL crashes and loses some, it loses rows together with the place that they reach, and both are done
    /// again. A cut-over does wait for the disk, because devices are shown its events.
    private var preparing: PostgresConfiguration {
        var preparing = planned
        if owner.usesPreparedStatements { preparing.settings["synchronous_commit"] = "off" }
        return preparing
    }

    /// How all workers connect. Each statement is planned once, and always with indexes, whatever size a table has at
    /// that moment: all of them look rows up by key. Otherwise a cut-over would plan while appends wait, and planning
    /// the statement that loads users takes longer than running it.
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
