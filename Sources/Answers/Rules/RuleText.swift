/// Rules for people and for scripts.
package enum RuleText {
    /// A line for each rule, below the document and section that define it.
    package static func list(_ rules: [Rule]) -> [String] {
        var lines: [String] = []
        var place = ""
        for rule in rules {
            let found = "\(rule.document.rawValue): \(rule.section)"
            if found != place { lines += (place.isEmpty ? [] : [""]) + [found] }
            place = found
            lines.append("  \(rule.name)\(String(repeating: " ", count: max(1, 5 - rule.name.count)))\(rule.title)")
        }
        return lines
    }

    /// The rules with their texts.
    /// - Parameter width: the columns of the terminal; nil: lines are not wrapped.
    package static func whole(_ rules: [Rule], _ width: Int?) -> [String] {
        rules.enumerated().flatMap { index, rule in
            (index == 0 ? [] : [""])
                + ["\(rule.name) \(rule.title)", "Schema/rules/\(rule.document.rawValue).md, \(rule.section)", ""]
                + rule.text.split(separator: "\n", omittingEmptySubsequences: false)
                .flatMap { wrapped(String($0), width) }
        }
    }

    package static func json(_ rule: Rule) -> String {
        var json = JSONText()
        json.add("name", rule.name)
        json.add("title", rule.title)
        json.add("document", rule.document.rawValue)
        json.add("section", rule.section)
        json.add("text", rule.text)
        return json.text
    }

    /// Wraps a line at `width`, and keeps its indentation. A table's row is not wrapped.
    static func wrapped(_ line: String, _ width: Int?) -> [String] {
        guard let width, line.count > width, !line.hasPrefix("|") else { return [line] }
        let indent = String(line.prefix { $0 == " " })
        var lines: [String] = []
        var current = indent
        for word in line.split(separator: " ") {
            if current.count + 1 + word.count > width, current != indent {
                lines.append(current)
                current = indent
            }
            current += current == indent ? word : " " + word
        }
        return lines + [current]
    }
}
