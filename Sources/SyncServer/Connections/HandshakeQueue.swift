import DequeModule
import FocusCore

/// Whose TLS handshake is next (rule Q8). Addresses take turns, so that a flood from one keeps nobody else out. An
/// address that has begun more handshakes than it may rests, and the others go on.
struct HandshakeQueue {
    enum Next: Equatable {
        case connection(UInt64)
        /// Everybody who waits is of an address that rests until then.
        case nobodyBefore(MonotonicTime)
        case nobody
    }

    /// Connections that wait for each other. Handshakes that go on have a line of their own, and never rest: only with
    /// their end does what they hold become free.
    struct Line: Hashable {
        /// What the connection is counted by; nil when no address bounds it.
        var address: ClientAddress?
        var hasBegun = false
    }

    private var lines: [Line: Deque<UInt64>] = [:]
    /// The lines that take turns, the next one first. A line without connections leaves when its turn comes.
    private var turns: Deque<Line> = []
    /// The lines that rest. All rest for about as long, so they are in the order in which their rests end.
    private var resting: Deque<(until: MonotonicTime, line: Line)> = []
    private var begun: AllowanceTable<ClientAddress>
    /// How many connections wait.
    private(set) var count = 0
    /// How often an address had to rest.
    private(set) var rests = 0

    /// - Parameter allowance: how many handshakes an address may begin.
    init(_ allowance: Allowance) { begun = AllowanceTable(allowance) }

    mutating func add(_ id: UInt64, to line: Line) {
        if lines[line] == nil { turns.append(line) }
        lines[line, default: []].append(id)
        count += 1
    }

    mutating func remove(_ id: UInt64, from line: Line) {
        guard let index = lines[line]?.firstIndex(of: id) else { return }
        lines[line]?.remove(at: index)
        count -= 1
    }

    /// Removes the connection whose turn it is.
    mutating func next(now: MonotonicTime) -> Next {
        while let first = resting.first, first.until <= now {
            resting.removeFirst()
            turns.append(first.line)
        }
        while let line = turns.popFirst() {
            guard lines[line]?.isEmpty == false else {
                lines[line] = nil
                continue
            }
            if let address = line.address, !line.hasBegun {
                if let wait = begun.wait(for: 1, of: address, now: now) {
                    resting.append((now.adding(milliseconds: wait), line))
                    rests += 1
                    continue
                }
                begun.use(1, by: address, now: now)
            }
            guard let id = lines[line]?.popFirst() else { continue }
            turns.append(line)
            count -= 1
            return .connection(id)
        }
        return resting.first.map { .nobodyBefore($0.until) } ?? .nobody
    }
}
