import FocusCore
import Logging
import NIOConcurrencyHelpers

/// Compares the machine's wall clock with the database's, which is the same for all servers of a log.
///
/// The server that logs an event records its own time with it, and no later event of the partition is recorded earlier.
/// A server whose clock is a day ahead would therefore move the time of all servers, and end every Focus of that day.
/// So a server whose clock is too far from the database's appends nothing until the two agree (rule E4), and tells
/// devices the database's time meanwhile.
///
/// Flow: the database's time comes with the heads, and is observed here → until the next time the monotonic clock counts
/// on from it, so a wall clock that is set is noticed at once.
final class DatabaseTime: Sendable {
    /// How often a warning is logged while the clocks differ.
    private static let repeatMilliseconds: Int64 = 60_000

    /// What the database's clock said at some moment between the question and the answer.
    private struct Reading {
        var time: Timestamp
        var asked: MonotonicTime
        var answered: MonotonicTime
    }

    private struct State {
        var reading: Reading?
        /// Since when the clocks differ; nil while they agree.
        var apartSince: MonotonicTime?
        /// When the last warning was logged.
        var loggedAt = MonotonicTime(milliseconds: 0)
    }

    private let machine: ServerClock
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(_ machine: ServerClock, logger: Logger) {
        self.machine = machine
        self.logger = logger
    }

    /// The machine's clocks, but the wall clock shows the database's time while the two differ.
    var clock: ServerClock {
        var clock = machine
        clock.wall = { self.wall() }
        return clock
    }

    /// Records what the database's clock said.
    /// - Parameters:
    ///   - time: the database's time, from an answer that has just come.
    ///   - asked: a moment before the question was sent.
    func observe(_ time: Timestamp, asked: MonotonicTime) {
        let reading = Reading(time: time, asked: asked, answered: machine.monotonic())
        state.withLockedValue { $0.reading = reading }
    }

    /// By how many microseconds, at the least, the machine's clock is ahead of the database's; negative when it is
    /// behind. Zero while they agree within `ServerClock.tolerance`, and before the database was asked.
    func difference() -> Int64 {
        let wall = machine.wall()
        return difference(wall, likeliest(wall))
    }

    /// The time nearest to `wall` among those that the database's clock may show now.
    private func likeliest(_ wall: Timestamp) -> Timestamp {
        let now = machine.monotonic()
        guard let reading = state.withLockedValue({ $0.reading }) else { return wall }
        let earliest = reading.time.adding(microseconds: (now - reading.answered) * 1_000)
        let latest = reading.time.adding(microseconds: (now - reading.asked) * 1_000)
        return min(max(wall, earliest), latest)
    }

    private func difference(_ wall: Timestamp, _ database: Timestamp) -> Int64 {
        guard let tolerance = machine.tolerance else { return 0 }
        let (difference, overflow) = wall.microseconds.subtractingReportingOverflow(database.microseconds)
        if overflow { return wall > database ? .max : .min }
        return difference.magnitude > tolerance.magnitude ? difference : 0
    }

    /// Whether the clocks differ, so that nothing may be appended now. Logs when that begins, once a minute while it
    /// lasts, and when it ends.
    func isApart() -> Bool {
        let difference = self.difference()
        let now = machine.monotonic()
        state.withLockedValue { state in
            guard difference != 0 else {
                if let since = state.apartSince {
                    logger.notice(
                        "the clocks of server and database agree again",
                        metadata: ["seconds": "\((now - since) / 1_000)"])
                }
                state.apartSince = nil
                return
            }
            let isNew = state.apartSince == nil
            let since = state.apartSince ?? now
            state.apartSince = since
            guard isNew || now - state.loggedAt >= Self.repeatMilliseconds else { return }
            state.loggedAt = now
            logger.critical(
                "the server's clock is not the database's: nothing is appended until they agree",
                metadata: ["ahead": "\(difference / 1_000_000) s", "since": "\((now - since) / 1_000) s"])
        }
        return difference != 0
    }

    private func wall() -> Timestamp {
        let wall = machine.wall()
        let database = likeliest(wall)
        return difference(wall, database) == 0 ? wall : database
    }
}
