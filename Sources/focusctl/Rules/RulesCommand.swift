import Answers
import ArgumentParser
import Programs

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Print the rules that focus-sync decides by.",
        discussion: """
            Without names: all of them, a line each. With names: their text.

            With --json, one object per rule, with its text in both cases:
              {"name":"N9","title":"…","document":"domain","section":"…","text":"…"}
            document is domain or protocol (Schema/rules), text Markdown.

            Examples:
              focusctl rules
              focusctl rules N9 F3.2
              focusctl rules --json | jq -r 'select(.document == "protocol").name'

            \(ExitStatus.help)
            """)

    @Argument(help: "Names of rules, as explain, timeline and refusals give them: N9, N9.4, P2.")
    var names: [String] = []

    @Flag(help: "Print objects for scripts.")
    var json = false

    func validate() throws {
        for name in names where Rule(named: name) == nil {
            throw ValidationError("There is no rule \(name). focusctl rules lists them.")
        }
    }

    func run() throws {
        let rules = names.isEmpty ? Rule.all : names.compactMap(Rule.init(named:))
        let lines =
            json
            ? rules.map(RuleText.json) : names.isEmpty ? RuleText.list(rules) : RuleText.whole(rules, Terminal.width)
        for line in lines { Terminal.line(line) }
    }
}
