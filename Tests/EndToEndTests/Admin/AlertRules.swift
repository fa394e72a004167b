import Foundation
import Support

/// What ops/prometheus and ops/grafana ask of the server's figures, read as text: neither YAML nor PromQL has a reader
/// here. promtool reads both in earnest.
struct AlertRules {
    struct Alert {
        var name: String
        var expression: String
        /// Its lines from `for` on.
        var rest: String
    }

    /// A selector of a query, like `focus_ready{check="lanes"}`.
    struct Selector {
        var metric: String
        var labels: [(name: String, operation: String, value: String)]
    }

    let alerts: [Alert]

    init() throws {
        let text = try String(contentsOf: Checkout.file("ops/prometheus/rules.yml"), encoding: .utf8)
        let uncommented = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("#") }
        alerts = uncommented.joined(separator: "\n").components(separatedBy: "- alert: ").dropFirst().map { part in
            let body = part.components(separatedBy: "\n        for: ")
            let head = body[0].components(separatedBy: "expr: ")
            return Alert(
                name: head[0].trimmingCharacters(in: .whitespacesAndNewlines), expression: head.dropFirst().joined(),
                rest: body.dropFirst().joined())
        }
    }

    /// The queries of the dashboard's panels with the texts that name their series.
    static func dashboard() throws -> [(title: String, query: String, legend: String)] {
        let data = try Data(contentsOf: Checkout.file("ops/grafana/focusd.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let panels = object?["panels"] as? [[String: Any]] ?? []
        return panels.flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).map {
                (panel["title"] as? String ?? "", $0["expr"] as? String ?? "", $0["legendFormat"] as? String ?? "")
            }
        }
    }

    static func selectors(_ query: String) -> [Selector] {
        query.matches(of: /\b((?:focus|process)_[a-z_]+)(?:\{([^}]*)\})?/).map { match in
            Selector(
                metric: String(match.1),
                labels: (match.2 ?? "").matches(of: /([a-z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"/).map {
                    (String($0.1), String($0.2), String($0.3))
                })
        }
    }

    /// The labels that a query groups and matches by, and those that a legend names.
    static func groupings(_ query: String, legend: String = "") -> [String] {
        query.matches(of: /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/).flatMap {
            $0.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        } + legend.matches(of: /\{\{([a-z_]+)\}\}/).map { String($0.1) }
    }
}
