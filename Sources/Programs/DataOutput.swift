import Foundation

/// An open file to write to, usually standard output. It waits for a slow reader, and still notices an interruption.
package struct DataOutput: Sendable {
    /// The reader read nothing for too long after an interruption.
    package struct Stuck: Error {
        /// How many of the bytes were written.
        package var written: Int

        package init(written: Int) { self.written = written }
    }

    /// How long a reader has, after an interruption, to read what was begun.
    private static let patience: Duration = .seconds(2)
    /// How many bytes a pipe that has any room takes without blocking (PIPE_BUF).
    private static let pipeCount = 4_096
    private static let pollMilliseconds: Int32 = 100

    private let descriptor: Int32
    private let isFile: Bool

    package init(_ descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        // Pipes, sockets and terminals have no position, so `lseek` fails.
        isFile = lseek(descriptor, 0, SEEK_CUR) >= 0
    }

    /// Writes all bytes, and returns when the system has them. Throws `Stuck`; `OutputFailure` when they cannot be
    /// written.
    package func write(_ bytes: [UInt8], isInterrupted: () -> Bool = { false }) throws {
        var deadline: ContinuousClock.Instant?
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                if !isFile {
                    guard waitForRoom() else {
                        if isInterrupted() {
                            let end = deadline ?? .now.advanced(by: Self.patience)
                            deadline = end
                            if .now >= end { throw Stuck(written: done) }
                        }
                        continue
                    }
                }
                let count = isFile ? bytes.count - done : min(Self.pipeCount, bytes.count - done)
                let written = Foundation.write(descriptor, bytes.baseAddress! + done, count)
                if written > 0 { done += written }
                if written < 0, errno != EINTR, errno != EAGAIN { throw OutputFailure(code: errno) }
            }
        }
    }

    /// Removes what stands behind the last line feed of a regular file that is appended to.
    package func removeUnfinishedLine() throws {
        // A pipe that is opened for reading here would never tell that its reader is gone. Without O_APPEND the next byte
        // would go to where the position is, behind a hole.
        guard isFile, fcntl(descriptor, F_GETFL) & O_APPEND != 0 else { return }
        // The descriptor itself may be open for writing alone.
        let file = open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        var (end, block) = (size, [UInt8](repeating: 0, count: 1 << 16))
        while end > 0 {
            let start = max(0, end - block.count)
            let count = pread(file, &block, end - start, start)
            guard count == end - start else { return }
            if let last = block[..<count].lastIndex(of: UInt8(ascii: "\n")) {
                end = start + last + 1
                break
            }
            end = start
        }
        guard end == size || ftruncate(file, end) == 0 else { throw OutputFailure(code: errno) }
    }

    private func waitForRoom() -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A reader that is gone shows as an error, which the write then reports.
        return poll(&wanted, 1, Self.pollMilliseconds) > 0
    }
}

/// The output cannot be written: the disk is full, or the reader is gone.
struct OutputFailure: Error, CustomStringConvertible {
    /// The error number, as in errno(3).
    var code: Int32

    /// Whether the reader has closed the pipe, as head(1) does: it wants no more output, and no complaint either.
    var isReaderGone: Bool { code == EPIPE }

    var description: String { "The output cannot be written: \(String(cString: strerror(code)))." }
}
