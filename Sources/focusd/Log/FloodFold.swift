import Logging

/// Folds lines of one kind that come in a flood: the first of a window are written, the others are counted and told of
/// in one line when the window ends. Ten thousand devices that connect at once, or a disk that is full, take no more of
/// the log than a hundred.
struct FloodFold: Sendable {
    /// What two lines have in common that say the same of others.
    struct Kind: Hashable, Sendable {
        /// More of a message than this says nothing of its kind, in characters.
        static let longest = 120

        var level: Logger.Level
        var message: String
        /// The code of what is refused or sent away; empty: the line has none.
        var code: String

        init(level: Logger.Level, message: String, code: String = "") {
            self.level = level
            (self.message, self.code) = (String(message.prefix(Self.longest)), String(code.prefix(Self.longest)))
        }
    }

    /// How many lines of a kind were not written in a window.
    struct Rest: Hashable, Sendable {
        var kind: Kind
        var count: Int
    }

    /// Milliseconds.
    static let window: Int64 = 10_000
    /// Kinds in a window. Lines of more kinds share one for each level.
    static let kinds = 256
    static let otherKinds = "lines of other kinds"

    /// Who connects is another device each time; an error that repeats says little new.
    static func linesPerWindow(_ level: Logger.Level) -> Int { level >= .warning ? 5 : 50 }

    private struct Window {
        var end: Int64
        var written = 0
        var folded = 0
    }

    private var windows: [Kind: Window] = [:]
    /// When a window ends first.
    private var firstEnd = Int64.max

    /// How many kinds it keeps now.
    var count: Int { windows.count }

    /// Whether the line is to be written. Ask `endWindows` before.
    /// - Parameter now: milliseconds of a clock that never goes back.
    mutating func admit(_ kind: Kind, now: Int64) -> Bool {
        var kind = kind
        if windows[kind] == nil, windows.count >= Self.kinds {
            kind = Kind(level: kind.level, message: Self.otherKinds)
        }
        var window = windows[kind] ?? Window(end: now + Self.window)
        firstEnd = min(firstEnd, window.end)
        let isWritten = window.written < Self.linesPerWindow(kind.level)
        if isWritten { window.written += 1 } else { window.folded += 1 }
        windows[kind] = window
        return isWritten
    }

    /// Ends the windows whose time is over.
    /// - Parameter all: also those whose time is not over: nothing comes after.
    /// - Returns: what they did not write, in a fixed order.
    mutating func endWindows(now: Int64, all: Bool = false) -> [Rest] {
        guard all || now >= firstEnd else { return [] }
        let over = windows.filter { all || $0.value.end <= now }
        for kind in over.keys { windows[kind] = nil }
        firstEnd = windows.values.map(\.end).min() ?? .max
        return over.filter { $0.value.folded > 0 }.map { Rest(kind: $0.key, count: $0.value.folded) }
            .sorted { ($0.kind.level, $0.kind.message, $0.kind.code) < ($1.kind.level, $1.kind.message, $1.kind.code) }
    }
}
