import Foundation
import SeededNumbers
import Testing

@testable import FocusCore

/// The result of a fold may not depend on the process: not on the order of dictionaries, whose hashing each process
/// seeds anew, and not on the machine's time zone or language.
@Suite("UserState: two processes") struct OtherProcessTests {
    /// Set in the child processes of `sameBytes`: the file into which they write their folds.
    private static let output = "FOCUS_FOLD_OUTPUT"
    private static let path = ProcessInfo.processInfo.environment[output]

    @Test("E6: random and malformed histories, folded in two processes, give the same bytes", .enabled(if: path == nil))
    func sameBytes() async throws {
        let places = [("Pacific/Apia", "C"), ("America/St_Johns", "tr_TR.UTF-8")]
        var folds: [[Substring]] = []
        for (zone, language) in places {
            let folder = FileManager.default.temporaryDirectory
            let file = folder.appendingPathComponent("fold-\(UUID()).txt")
            let report = file.appendingPathExtension("report")
            defer { for url in [file, report] { try? FileManager.default.removeItem(at: url) } }
            let code = try await Self.run(
                [Self.output: file.path, "TZ": zone, "LC_ALL": language, "SWIFT_DETERMINISTIC_HASHING": nil],
                report: report.path)
            #expect(code == 0, "\((try? String(contentsOf: report, encoding: .utf8)) ?? "no report")")
            folds.append(try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
        }
        #expect(folds[0].count == folds[1].count && folds[0].count > 1_000)
        #expect(folds[0].first != folds[1].first, "both processes hash alike, which proves nothing")
        let differing = zip(folds[0], folds[1]).dropFirst().first { $0 != $1 }
        #expect(differing == nil)
    }

    /// Runs in the child processes only.
    @Test("E6: what a process folds", .enabled(if: path != nil))
    func fold() throws {
        var lines = ["hash \("seed".hashValue)"]
        for seed in 1...6 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var stage = HistoryMaker.ready()
            for step in 1...200 {
                HistoryMaker.step(&stage, at: Double(step), using: &random)
                lines.append("\(seed) touched \(stage.touched.sorted().map(Self.name))")
            }
            lines += Self.lines(stage.state).map { "\(seed) \($0)" }
            var malformed = UserState(user: .ada)
            MalformedTests().play(&malformed, count: 200, using: &random)
            lines += Self.lines(malformed).map { "malformed \(seed) \($0)" }
        }
        try lines.joined(separator: "\n").write(toFile: try #require(Self.path), atomically: true, encoding: .utf8)
    }

    /// Everything that is stored and sent, in the order in which it would be.
    private static func lines(_ state: UserState) -> [String] {
        var state = state
        let view = View(scope: .system, device: .phone, deviceClass: .watch)
        let sent = state.rows(after: SyncPosition(version: .zero), in: view, limitBytes: .max).rows
        let digests = state.digests(in: view).sorted { $0.collection < $1.collection }
        return state.rowKeys.map { key in
            let row = state.row(key)
            return "\(name(key)) \(row?.version.rawValue ?? -1) \(hex(row?.value)) \(hex(row?.memo))"
        } + sent.map { "sent \(name($0.key)) \($0.version) \(hex($0.value))" } + digests.map { "digest \($0)" }
    }

    private static func name(_ key: RowKey) -> String {
        "\(key.collection.rawValue) \(key.app?.rawValue ?? "-") \(hex(Array(key.key.utf8)))"
    }

    private static func hex(_ bytes: [UInt8]?) -> String {
        bytes.map { $0.map { String($0, radix: 16) }.joined(separator: ".") } ?? "-"
    }

    /// Runs these tests in a process with another environment; returns its exit code. Waits on a thread of its own.
    /// - Parameter report: the file for the child's test report, which would otherwise mix with ours.
    private static func run(_ changes: [String: String?], report: String) async throws -> Int32 {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in changes { environment[name] = value }
        let arguments = ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", "OtherProcessTests"]
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, report, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var child = pid_t()
        let code = posix_spawn(&child, program, &actions, nil, argv, envp)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return await withCheckedContinuation { [child] done in
            Thread {
                var status: Int32 = 0
                while waitpid(child, &status, 0) == -1, errno == EINTR {}
                done.resume(returning: status)
            }.start()
        }
    }
}
