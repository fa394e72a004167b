import ArgumentParser
import FocusCore
import Foundation
import Support
import Testing

@testable import focus_bench
@testable import focus_conformance
@testable import focusctl
@testable import focusd

/// What the programs' `--help` shows can be pasted, and runs.
@Suite("Help") struct HelpTests {
    /// A command, and the words that call it.
    struct Command: CustomTestStringConvertible, Sendable {
        let words: [String]
        let root: any ParsableCommand.Type
        let type: any ParsableCommand.Type

        var testDescription: String { words.joined(separator: " ") }

        static let all = [Focusctl.self, Focusd.self, FocusBench.self, FocusConformance.self]
            .flatMap { (root: any ParsableCommand.Type) in under(root, [], root) }

        private static func under(
            _ type: any ParsableCommand.Type, _ words: [String], _ root: any ParsableCommand.Type
        ) -> [Command] {
            let words = words + [type._commandName]
            return [Command(words: words, root: root, type: type)]
                + type.configuration.subcommands.flatMap { under($0, words, root) }
        }

        /// The lines below "Example", as the command has them.
        var exampleLines: [String] {
            var lines: [String] = []
            var isExample = false
            for line in type.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("Example") { isExample = true }
                if line.isEmpty { isExample = false }
                if isExample, line.hasPrefix("  ") { lines.append(String(line)) }
            }
            return lines
        }

        /// The examples, each on one line.
        var examples: [String] {
            exampleLines.joined(separator: "\n").replacing("\\\n", with: " ").replacing("|\n", with: "| ")
                .split(separator: "\n").map(String.init)
        }
    }

    @Test("Every command shows an example, which no terminal of 80 columns folds", arguments: Command.all)
    func folded(_ command: Command) {
        let shown = command.root.helpMessage(for: command.type, columns: 80).split(separator: "\n")
        #expect(!command.exampleLines.isEmpty)
        for line in command.exampleLines { #expect(shown.contains(Substring(line)), "\(line)") }
    }

    @Test("Every command with --json says what it prints", arguments: Command.all)
    func shapes(_ command: Command) {
        let shown = command.root.helpMessage(for: command.type, columns: 80)
        guard shown.contains("\n  --json ") else { return }
        #expect(command.type.configuration.discussion.contains("With --json"))
    }

    @Test("Every example of a command's help is taken by the program's own parser", arguments: Command.all)
    func parsed(_ command: Command) throws {
        for example in command.examples {
            let calls = ShellWords.commands(example).filter { $0.first == command.words.first }
            #expect(!calls.isEmpty || !example.hasPrefix("  \(command.words[0]) "), "\(example)")
            for call in calls {
                do {
                    _ = try command.root.parseAsRoot(Array(call.dropFirst()))
                } catch {
                    Issue.record("\(example): \(command.root.fullMessage(for: error))")
                }
            }
        }
    }

    @Test("Every program says its version", arguments: ["focusctl", "focusd", "focus-bench", "focus-conformance"])
    func version(_ program: String) async throws {
        let child = try ChildProcess(FocusdProcess.binary(program), ["--version"], input: "/dev/null")
        #expect(await child.rest() == FocusCore.version + "\n")
        #expect(await child.exitCode() == 0)
    }

    @Test("The Python client has the same version, and it is the newest one that the changes are told of")
    func sameVersion() throws {
        let client = try String(contentsOf: Checkout.file("Schema/clients/python/focus_client.py"), encoding: .utf8)
        #expect(client.contains("VERSION = \"\(FocusCore.version)\""))
        let changes = try String(contentsOf: Checkout.file(".github/CHANGELOG.md"), encoding: .utf8)
        let headings = changes.matches(of: /\n## (.+)\n/).map { String($0.1) }
        #expect(headings.filter { $0 != "Unreleased" }.first == FocusCore.version, "\(headings)")
    }
}

/// The words of a line of shell: as much of it as examples need.
enum ShellWords {
    /// The commands of a pipeline, each as its words, without redirections and comments. A variable has the value of a
    /// UUID, and what a command prints is `text`.
    static func commands(_ line: String) -> [[String]] {
        let plain = line.replacing(#/\$\([^)]*\)/#, with: "text")
            .replacing(#/\$[A-Z]+/#, with: "11111111-1111-4111-8111-111111111111")
        var commands: [[String]] = [[]]
        for word in words(plain) {
            switch word {
            case "|", "&&", ";": commands.append([])
            default: commands[commands.count - 1].append(word)
            }
        }
        return commands.map(withoutRedirections).filter { !$0.isEmpty }
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "#", word == nil {
                return words
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    private static func withoutRedirections(_ words: [String]) -> [String] {
        var rest: [String] = []
        var isTarget = false
        for word in words {
            if isTarget {
                isTarget = false
            } else if [">", ">>", "<", "2>"].contains(word) {
                isTarget = true
            } else if word != "2>&1", word != "&" {
                rest.append(word)
            }
        }
        return rest
    }
}
