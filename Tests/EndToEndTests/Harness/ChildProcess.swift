import Foundation
import NIOConcurrencyHelpers

/// A child process whose waits take threads of their own. `Foundation.Process` runs a run loop on whichever thread
/// asks, and with two cores the cooperative pool has only two.
final class ChildProcess: Sendable {
    let pid: pid_t
    private let output: Int32
    private let exit = Exit()

    struct SpawnFailure: Error { let code: Int32 }

    /// - Parameters:
    ///   - input: the file for its standard input; nil: the parent's.
    ///   - errors: the file that its standard error is appended to; nil: the parent's.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        errors: String? = nil
    ) throws {
        var pipe: [Int32] = [0, 0]
        guard Foundation.pipe(&pipe) == 0 else { throw SpawnFailure(code: errno) }
        // Children of other tests must not hold the writing end open.
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        if let input { posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0) }
        if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
        // The child must not hold sockets of servers in this process either: closing them here would not end the
        // connection.
        for file in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, file) }
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child = pid_t()
        let code = posix_spawn(&child, program, &actions, nil, argv, envp)
        close(pipe[1])
        guard code == 0 else {
            close(pipe[0])
            throw SpawnFailure(code: code)
        }
        pid = child
        output = pipe[0]
        Self.detach { [exit, child] in
            var status: Int32 = 0
            while waitpid(child, &status, 0) == -1, errno == EINTR {}
            exit.set(status & 0x7F == 0 ? status >> 8 & 0xFF : nil)
        }
    }

    /// Only `exit` reaps the process, so its id stays valid until then.
    func signal(_ number: Int32) {
        if !exit.isSet { kill(pid, number) }
    }

    var hasExited: Bool { exit.isSet }

    /// The exit code; nil if a signal ended it. A child that does not end for `patience` is killed.
    func exitCode() async -> Int32? {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patience)) { [exit, pid] in
            if !exit.isSet { kill(pid, SIGKILL) }
        }
        return await exit.wait()
    }

    /// The output up to the first newline or the end. Must not run at the same time as `rest`.
    func firstLine() async -> String {
        let output = output
        return await withCheckedContinuation { done in
            Self.detach { [self] in
                var line: [UInt8] = []
                var byte: UInt8 = 0
                while isReady(), read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
                done.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
    }

    /// The number of bytes printed and not read, as far as the pipe holds them (64 KiB).
    var unreadBytes: Int {
        var count: Int32 = 0
        return ioctl(output, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// The output from here to the end.
    func rest() async -> String {
        let output = output
        return await withCheckedContinuation { done in
            Self.detach { [self] in
                var text: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                while isReady() {
                    let count = read(output, &piece, piece.count)
                    guard count > 0 else { break }
                    text += piece[..<count]
                }
                done.resume(returning: String(decoding: text, as: UTF8.self))
            }
        }
    }

    /// Waits until there is output or the end of it. A child that is silent for `patience` is killed: its test fails,
    /// and the run goes on.
    private func isReady() -> Bool {
        var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while true {
            let ready = poll(&descriptor, 1, 1_000)
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
            guard ContinuousClock.now < deadline else {
                signal(SIGKILL)
                return false
            }
        }
    }

    /// Seconds, far more than any child needs: the conformance suite is silent for minutes, and so is pip during a
    /// download.
    private static let patience = 1_800

    deinit { close(output) }

    private static func detach(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    private final class Exit: Sendable {
        private struct State {
            var isSet = false
            var code: Int32?
            var waiting: [CheckedContinuation<Int32?, Never>] = []
        }
        private let state = NIOLockedValueBox(State())

        var isSet: Bool { state.withLockedValue { $0.isSet } }

        func set(_ code: Int32?) {
            let waiting = state.withLockedValue { state in
                state.isSet = true
                state.code = code
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: code) }
        }

        func wait() async -> Int32? {
            await withCheckedContinuation { continuation in
                let code: Int32?? = state.withLockedValue { state in
                    if state.isSet { return .some(state.code) }
                    state.waiting.append(continuation)
                    return .none
                }
                if let code { continuation.resume(returning: code) }
            }
        }
    }
}
