import Foundation
import Support
import Testing

/// README's tour: each command of the page runs as it stands, in order, against real servers, and prints what the page
/// says.
@Suite("README's tour", .fewAtATime) struct TourTests {
    /// The chapters that belong together; others need what a machine has only for them.
    private static let chapters = ["A tour of five minutes", "Backups", "Conformance"]

    /// A command of the page, and what the page says that it prints.
    private struct Step {
        var command: String
        var printed: [String] = []
    }

    private static func steps() throws -> [Step] {
        let page = try String(contentsOf: Checkout.file("README.md"), encoding: .utf8)
        return try chapters.flatMap { chapter in
            let text = try #require(page.components(separatedBy: "\n## \(chapter)\n").dropFirst().first, "\(chapter)")
            let lines = text.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
            return steps(lines.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : $0.isEmpty ? "" : nil })
        }
    }

    /// - Parameter lines: the lines of blocks, and empty ones; nil: a line of prose.
    private static func steps(_ lines: [String?]) -> [Step] {
        var steps: [Step] = []
        var (end, isOpen): (String?, Bool) = (nil, false)
        for line in lines {
            guard let line else {
                (end, isOpen) = (nil, false)
                continue
            }
            if let mark = end {
                steps[steps.count - 1].command += "\n" + line
                if line == mark { end = nil }
            } else if steps.last?.command.hasSuffix("\\") == true, isOpen {
                steps[steps.count - 1].command += "\n" + line
            } else if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                end = line.firstMatch(of: /<<'(\w+)'$/).map { String($0.1) }
                isOpen = true
            } else if isOpen {
                steps[steps.count - 1].printed.append(line)
            }
        }
        return steps
    }

    @Test("Each command of the tour runs as it stands, in order, and prints what the page says")
    func tour() async throws {
        let steps = try Self.steps()
        #expect(steps.count > 50)
        let stage = try TourStage()
        do {
            for step in steps {
                let printed = try await stage.run(step.command)
                Self.expect(step.printed, in: printed, of: step.command)
            }
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    /// The page's lines are among those that were printed, in their order. `…` stands for anything; ids, times and sizes
    /// may be others.
    private static func expect(_ expected: [String], in printed: String, of command: String) {
        var rest = printed.split(separator: "\n")[...]
        for line in expected where line != "…" && !line.isEmpty {
            guard let pattern = try? Regex(pattern(line)),
                let index = rest.firstIndex(where: { $0.wholeMatch(of: pattern) != nil })
            else {
                Issue.record("\(command)\ndoes not print\n\(line)\nbut\n\(printed)")
                return
            }
            rest = rest[(index + 1)...]
        }
    }

    private static func pattern(_ line: String) -> String {
        var pattern = ""
        var rest = line[...]
        // What differs from run to run, each with what stands for it.
        let others: [(Regex<Substring>, String)] = [
            (#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#, "[0-9a-f-]{36}"),
            (#/\d{4}-\d\d-\d\dT[\d:.]+Z/#, "[0-9T:.-]+Z"), (#/\d{4,}/#, "\\d+"), (#/\d+\.\d+/#, "[\\d.]+"),
            (#/…/#, ".*"), (#/ {2,}/#, " +"),
        ]
        while let first = rest.first {
            if let (match, other) = others.lazy.compactMap({ regex, other in
                rest.prefixMatch(of: regex).map { ($0.0, other) }
            }).first {
                pattern += other
                rest = rest.dropFirst(match.count)
            } else {
                pattern += NSRegularExpression.escapedPattern(for: String(first))
                rest = rest.dropFirst()
            }
        }
        return pattern
    }
}

/// Where the tour is made: a directory, the server that runs, and the variables that were set.
private final class TourStage {
    private let directory: String
    private let (port, admin): (ReservedPort, ReservedPort)
    private var server: (child: ChildProcess, data: Substring)?
    private var variables = ""

    init() throws {
        directory = try TestDirectory.make()
        (port, admin) = (try ReservedPort(), try ReservedPort())
    }

    private var environment: [String: String] {
        let programs = URL(filePath: FocusdProcess.binary("focusctl")).deletingLastPathComponent().path
        let address = "127.0.0.1:\(port.number)"
        return [
            "PATH": "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
            "FOCUS_SERVER": address, "FOCUSD_LISTEN": address, "FOCUSD_LOG_LEVEL": "error", "HOME": directory,
            "XDG_CACHE_HOME": directory + "/cache",
        ]
    }

    /// Runs a command and returns what it prints. A server is started, and the one before it ends: it is killed when the
    /// new one goes on in its place. What runs until it is stopped is stopped when it has printed a line.
    func run(_ command: String) async throws -> String {
        let here = command.replacing("/tmp/tour", with: "\(directory)/tour").replacing("9464", with: "\(admin.number)")
        if here.wholeMatch(of: /[A-Z]+=\S+/) != nil {
            variables += here + "\n"
            return ""
        }
        let script = "set -euo pipefail\ncd '\(directory)'\n\(variables)"
        if let data = here.firstMatch(of: /^focusd serve .*--data-dir (\S+)/)?.1 {
            await stopServer(isKilled: server?.data == data)
            let child = try ChildProcess("/bin/bash", ["-c", script + "exec " + here], environment: environment)
            server = (child, data)
            return asOnPage(await child.firstLine())
        }
        let runsOn = here.hasPrefix("focusctl watch ")
        let child = try ChildProcess(
            "/bin/bash", ["-c", script + (runsOn ? "exec " : "") + here], environment: environment, input: "/dev/null")
        let printed: String
        if runsOn {
            printed = await child.firstLine()
            child.signal(SIGINT)
        } else {
            printed = await child.rest()
        }
        #expect(await child.exitCode() == 0, "\(command)\n\(printed)")
        return asOnPage(printed)
    }

    private func asOnPage(_ printed: String) -> String {
        printed.replacing("\(directory)/tour", with: "/tmp/tour").replacing("\(port.number)", with: "7464")
    }

    private func stopServer(isKilled: Bool) async {
        guard let child = server?.child else { return }
        child.signal(isKilled ? SIGKILL : SIGTERM)
        let code = await child.exitCode()
        #expect(isKilled || code == 0)
        server = nil
    }

    /// Ends the server and removes the directory.
    func end() async {
        await stopServer(isKilled: false)
        try? FileManager.default.removeItem(atPath: directory)
    }
}
