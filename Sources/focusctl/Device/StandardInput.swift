import FocusSyncClient
import Foundation
import Programs

/// Lines of standard input, as they come: what can be read at once makes one batch.
struct StandardInput {
    struct Line {
        /// The line's number, from 1.
        var number: Int
        var bytes: [UInt8]
    }

    /// How many lines a batch has at most.
    static let batch = 500
    private static let readBytes = 64 * 1024

    private let queue = DispatchQueue(label: "focusctl.stdin")
    private var splitter = LineSplitter()
    private var waiting: ArraySlice<Line> = []
    private var lines = 0
    private var isAtEnd = false

    /// Whether `next` would return at once.
    var hasMore: Bool {
        if !waiting.isEmpty || isAtEnd { return true }
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }

    /// The next batch; nil at the end. Throws `CommandFailure` when standard input cannot be read: what would come may
    /// be lost.
    mutating func next() async throws -> [Line]? {
        while waiting.isEmpty, !isAtEnd {
            let bytes = try await read()
            var found = splitter.lines(bytes)
            if bytes.isEmpty {
                isAtEnd = true
                if let last = splitter.last() { found.append(last) }
            }
            for bytes in found {
                lines += 1
                waiting.append(Line(number: lines, bytes: bytes))
            }
        }
        guard !waiting.isEmpty else { return nil }
        defer { waiting = waiting.dropFirst(Self.batch) }
        return Array(waiting.prefix(Self.batch))
    }

    /// The number of the next line, if one is there already; waits for nobody.
    mutating func nextNumber() async -> Int? {
        guard hasMore else { return nil }
        // Input that fails has no lines that could be told of.
        return (try? await next())?.first?.number
    }

    /// Reads on a thread that may block; empty at the end.
    private func read() async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { done in
            queue.async {
                var buffer = [UInt8](repeating: 0, count: Self.readBytes)
                var count: Int
                repeat {
                    count = Foundation.read(STDIN_FILENO, &buffer, Self.readBytes)
                } while count < 0 && errno == EINTR
                guard count >= 0 else {
                    let reason = String(cString: strerror(errno))
                    return done.resume(throwing: CommandFailure("Standard input cannot be read: \(reason)."))
                }
                done.resume(returning: Array(buffer.prefix(count)))
            }
        }
    }
}
