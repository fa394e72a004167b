import FocusCore
import Logging
import NIOConcurrencyHelpers

/// The machine's wall clock, held against the database's, which all servers of a log have in common.
///
/// An event is recorded at the time of the server that logs it, and falls due by it, and no event after it is recorded
/// earlier: one server whose clock is a day ahead would move the time of all, and end every Focus of that day. So a
/// server whose clock is too far from the database's appends nothing until they agree (rule E4), and devices hear the
/// database's time from it meanwhile.
///
/// Flow: whoever asks for heads notes what the database's clock said with them; between two looks the monotonic clock
/// counts on from there, so a clock that is set is seen at once.
final class DatabaseTime: Sendable {
    /// While the clocks differ, how often the log says so.
    private static let repeatMilliseconds: Int64 = 60_000

    /// The database's time at a moment between the question and the answer.
    private struct Reading {
        var time: Timestamp
        var asked: MonotonicTime
        var answered: MonotonicTime
    }

    private struct State {
        var reading: Reading?
        /// Since when the clocks are apart, and when that was logged last.
        var apartSince: MonotonicTime?
        var loggedAt = MonotonicTime(milliseconds: 0)
    }

    private let machine: ServerClock
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(_ machine: ServerClock, logger: Logger) {
        self.machine = machine
        self.logger = logger
    }

    /// The machine's clock; its wall clock is the database's while the two are apart.
    var clock: ServerClock {
        var clock = machine
        clock.wall = { self.wall() }
        return clock
    }

    /// - Parameters:
    ///   - time: what the database's clock said.
    ///   - asked: before the question was sent.
    func note(_ time: Timestamp, asked: MonotonicTime) {
        let reading = Reading(time: time, asked: asked, answered: machine.monotonic())
        state.withLockedValue { $0.reading = reading }
    }

    /// Microseconds that the machine's clock is ahead of the database's, or behind when negative, at least; zero while
    /// they agree, or nobody knows.
    func difference() -> Int64 {
        let wall = machine.wall()
        return difference(wall, likeliest(wall))
    }

    /// The moment that is nearest to `wall` of those that the database's clock may show now.
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

    /// Whether nothing may be appended now. Says so in the log when it begins, once a minute, and when it ends.
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
