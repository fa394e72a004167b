import Glibc
import Logging
import NIOConcurrencyHelpers

/// Where all lines of the program go: folds floods, and writes line by line. Shared by all threads.
///
/// It waits for nobody. A reader that stands still would hold up every device else, so a line that cannot be written at
/// once is lost, and the next one that can be written is preceded by how many were.
final class LogOutput: Sendable {
    /// What was logged since the start.
    struct Counts: Hashable, Sendable {
        /// Lines by their level, written or folded.
        var lines: [Logger.Level: Int] = [:]
        /// Lines that could not be written.
        var lost = 0
    }

    private struct State {
        var fold = FloodFold()
        var counts = Counts()
        /// Lost lines that the log has not told of.
        var untold = 0
        /// Whether the last line was written in part.
        var isBroken = false
    }

    private let layout: LogLayout
    private let clock: Clock
    private let write: @Sendable ([UInt8]) -> Int
    private let state = NIOLockedValueBox(State())

    /// The clocks that lines are written and floods are folded by.
    struct Clock: Sendable {
        /// Microseconds since 1970.
        var wall: @Sendable () -> Int64
        /// Milliseconds, never going back.
        var steady: @Sendable () -> Int64
    }

    /// - Parameter write: writes what it can at once, and returns how many bytes that were.
    init(_ layout: LogLayout, clock: Clock = .system, write: @escaping @Sendable ([UInt8]) -> Int = standardError) {
        (self.layout, self.clock, self.write) = (layout, clock, write)
    }

    var counts: Counts { state.withLockedValue { $0.counts } }

    func log(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        let kind = FloodFold.Kind(level: level, message: message, code: metadata["code"].map { "\($0)" } ?? "")
        state.withLockedValue { state in
            state.counts.lines[level, default: 0] += 1
            let now = clock.steady()
            tellRests(state.fold.endWindows(now: now), &state)
            guard state.fold.admit(kind, now: now) else { return }
            put(line(level, Self.threadName(), message, metadata), &state)
        }
    }

    /// Tells what was folded in windows that are over.
    /// - Parameter all: in all windows, because the program ends.
    func endWindows(all: Bool = false) {
        state.withLockedValue { tellRests($0.fold.endWindows(now: clock.steady(), all: all), &$0) }
    }

    private func tellRests(_ rests: [FloodFold.Rest], _ state: inout State) {
        for rest in rests {
            var metadata: Logger.Metadata = ["folded": .stringConvertible(rest.count)]
            if !rest.kind.code.isEmpty { metadata["code"] = "\(rest.kind.code)" }
            let message = "\(rest.kind.message): \(Self.grouped(rest.count)) more"
            put(line(rest.kind.level, Self.threadName(), message, metadata), &state)
        }
    }

    private func put(_ line: LogLine, _ state: inout State) {
        if state.untold > 0 {
            let lost = self.line(
                .warning, line.thread, "lines of the log were lost: their reader did not take them",
                ["lost": .stringConvertible(state.untold)])
            if putBytes(lost.bytes(layout), &state) { state.untold = 0 }
        }
        guard state.untold == 0, putBytes(line.bytes(layout), &state) else {
            state.untold += 1
            state.counts.lost += 1
            return
        }
    }

    private func putBytes(_ bytes: [UInt8], _ state: inout State) -> Bool {
        let bytes = (state.isBroken ? Array("\n".utf8) : []) + bytes
        let written = write(bytes)
        if written > 0 { state.isBroken = written < bytes.count }
        return written == bytes.count
    }

    private func line(
        _ level: Logger.Level, _ thread: String, _ message: String, _ metadata: Logger.Metadata
    ) -> LogLine {
        LogLine(time: clock.wall(), level: level, thread: thread, message: message, metadata: metadata)
    }

    /// 4,311
    private static func grouped(_ number: Int) -> String {
        var text = String(number)
        for place in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
        }
        return text
    }

    /// The name of the thread that logs, as `top -H` shows it; empty where the system does not say (proc(5)).
    private static func threadName() -> String {
        let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        // Names have 15 bytes at most, and a line's end.
        var name = [UInt8](repeating: 0, count: 16)
        let count = read(file, &name, name.count)
        let text = String(decoding: name.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        // The end of “com.apple.root.default-qos”, as the concurrency runtime calls its threads.
        return text.hasSuffix("default-qos") ? "pool" : text
    }

    /// Writes to standard error: stdout is for what a script reads.
    static func standardError(_ bytes: [UInt8]) -> Int { write(bytes, to: STDERR_FILENO) }

    /// Writes what the file takes at once. A pipe that has room has room for a whole line (`LogLine.limit`).
    static func write(_ bytes: [UInt8], to file: Int32) -> Int {
        var ready = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return 0 }
        return max(0, Glibc.write(file, bytes, bytes.count))
    }
}

extension LogOutput.Clock {
    static let system = LogOutput.Clock(
        wall: { time(CLOCK_REALTIME).map { $0.tv_sec * 1_000_000 + $0.tv_nsec / 1_000 } ?? 0 },
        steady: { time(CLOCK_MONOTONIC).map { $0.tv_sec * 1_000 + $0.tv_nsec / 1_000_000 } ?? 0 })

    private static func time(_ clock: clockid_t) -> (tv_sec: Int64, tv_nsec: Int64)? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}
