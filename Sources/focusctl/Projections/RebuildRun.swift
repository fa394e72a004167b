import Answers
import EventStore
import Foundation
import PostgresClient
import Programs

/// A rebuild as a person runs it: with progress, a report, and an exit code.
struct RebuildRun {
    let source: DatabaseOptions
    let options: RebuildOptions
    let json: Bool

    /// How long to wait until every server knows of the change, in seconds: servers ask every 250 ms, and send nothing
    /// when they could not for 1 s.
    private static let graceSeconds = 2.0

    func perform(_ work: (Rebuilder) throws -> RebuildReport) throws {
        let start = ContinuousClock.now
        let report: RebuildReport
        do {
            report = try reporting(work)
        } catch let error as PostgresError {
            throw Self.advised(error)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        var dropped: [Int32] = []
        var kept: (any Error)?
        if !report.keepsOld {
            Thread.sleep(forTimeInterval: Self.graceSeconds)
            do { dropped = try reporting { try $0.dropOld() } } catch { kept = error }
        }
        if json {
            Terminal.line(RebuildText.json(report, dropped: dropped, seconds: seconds))
        } else {
            RebuildText.lines(report, dropped: dropped, seconds: seconds).forEach(Terminal.line)
        }
        guard let kept else { return }
        Terminal.complain("The new generation is shown; `focusctl projections drop-old` gives up the old one.")
        throw kept
    }

    /// The error with what to do, where a rebuild that was begun goes on.
    private static func advised(_ error: PostgresError) -> any Error {
        if error.kind == .insufficientResources, !error.isProgramLimit {
            return CommandFailure(
                """
                \(error). Memory or disk is used up; nothing that was there is lost. Make room, and `focusctl projections \
                rebuild --resume` goes on; `focusctl projections drop-old` gives up what was built.
                """)
        }
        guard error.kind == .connectionLost || error.kind == .shuttingDown else { return error }
        return CommandFailure(
            "\(error). The database went away; nothing is lost. `focusctl projections rebuild --resume` goes on.")
    }

    /// Runs `work` with progress on standard error, and turns its errors into failures with an exit code.
    func reporting<T>(_ work: (Rebuilder) throws -> T) throws -> T {
        let display = RebuildDisplay()
        let rebuilder = Rebuilder(
            try source.configuration("focusctl-projections-rebuild"), options: options, report: { display.show($0) },
            refused: {
                display.clear()
                Terminal.complain("A query of others uses the views of the read model: waiting until it ends …")
            })
        defer { display.clear() }
        do {
            return try work(rebuilder)
        } catch let error as RebuildError {
            switch error {
            case .historyArchived, .historyIncomplete, .unfoldable, .verificationFailed:
                throw IntegrityFailure(error.description)
            case .busy, .unfinished, .nothingToResume, .nothingToRollBackTo, .otherFold, .overtaken, .earlierFormat:
                throw CommandFailure(error.description)
            }
        }
    }
}
