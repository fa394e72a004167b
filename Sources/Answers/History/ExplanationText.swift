import FocusCore

/// An explanation for people and for scripts.
package enum ExplanationText {
    /// How many events and rows people are shown; more are only counted.
    private static let shown = 20

    package static func lines(_ explanation: Explanation) -> [String] {
        var lines = [
            "\(title(explanation.subject)): \(explanation.decision)", "\(explanation.rule): \(explanation.sentence)",
        ]
        if !explanation.inputs.isEmpty {
            var table = Table(["", "INPUT", "VALUE"])
            for input in explanation.inputs { table.add([input.decided ? "→" : " ", input.name, input.value]) }
            lines += [""] + table.lines
        }
        lines += sources(explanation) + causes(explanation)
        return lines + ["", "as of version \(explanation.version)"]
    }

    private static func title(_ subject: ExplanationSubject) -> String {
        switch subject {
        case .notification(let id, let app, let deviceClass): "alert of \(id) of \(app) on the \(deviceClass.rawValue)"
        case .focusVisibility(let app): "Focus status as \(app) sees it"
        case .badge(let app, let deviceClass): "badge of \(app) on the \(deviceClass.rawValue)"
        case .preference(let key, let app): "preference \(key) of \(app)"
        }
    }

    private static func sources(_ explanation: Explanation) -> [String] {
        guard !explanation.sources.isEmpty else { return [] }
        var table = Table(["ROW", "KEY", "VERSION", "VALUE"])
        for source in explanation.sources.prefix(shown) {
            table.add([
                source.key.collection.rawValue, name(source.key), source.version.description,
                RowText.summary(source.key.collection, source.value),
            ])
        }
        return [""] + table.lines + more(explanation.sources.count - shown, "rows")
    }

    private static func causes(_ explanation: Explanation) -> [String] {
        guard !explanation.causes.isEmpty else { return [] }
        let causes = explanation.causes.suffix(shown)
        var table = Table(["VERSION", "EVENT", "OCCURRED", "DEVICE", "WHAT IT DID"])
        for cause in causes {
            table.add([
                cause.version.description, cause.type.rawValue, cause.occurredAt.rfc3339,
                cause.device == .server ? "server" : cause.device.description, effect(cause),
            ])
        }
        let hidden = explanation.omittedCauses + explanation.causes.count - causes.count
        return [""] + more(hidden, "earlier events") + table.lines
    }

    private static func effect(_ cause: Explanation.Cause) -> String {
        let changes = cause.changes.map { "\($0.kind.rawValue) \($0.key.collection.rawValue) \(name($0.key))" }
        return changes.isEmpty ? "nothing: something later stood already" : changes.joined(separator: ", ")
    }

    private static func name(_ key: RowKey) -> String {
        let parts = [key.app?.rawValue ?? "", key.key].filter { !$0.isEmpty }
        return parts.isEmpty ? "–" : parts.joined(separator: "/")
    }

    private static func more(_ count: Int, _ what: String) -> [String] {
        count > 0 ? ["… and \(count) \(what)"] : []
    }
}

extension ExplanationText {
    package static func json(_ explanation: Explanation) -> String {
        var json = JSONText()
        json.addRaw("subject", self.json(explanation.subject))
        json.add("version", explanation.version.rawValue)
        json.add("decision", explanation.decision)
        json.add("rule", explanation.rule)
        json.add("sentence", explanation.sentence)
        json.addRaw(
            "inputs",
            array(explanation.inputs) { input, json in
                json.add("name", input.name)
                json.add("value", input.value)
                json.add("decided", input.decided)
            })
        json.addRaw(
            "rows",
            array(explanation.sources) { source, json in
                add(source.key, to: &json)
                json.add("version", source.version.rawValue)
                json.addRaw("value", RowText.json(source.key.collection, source.value))
            })
        json.addRaw(
            "events",
            array(explanation.causes) { cause, json in
                json.add("version", cause.version.rawValue)
                json.add("eventId", cause.event.description)
                json.add("type", cause.type.rawValue)
                json.add("app", cause.app?.rawValue)
                json.add("device", cause.device.description)
                json.add("occurredAt", cause.occurredAt.rfc3339)
                json.add("recordedAt", cause.recordedAt.rfc3339)
                json.addRaw(
                    "changes",
                    array(cause.changes) { change, json in
                        json.add("change", change.kind.rawValue)
                        add(change.key, to: &json)
                    })
            })
        json.add("omittedEvents", explanation.omittedCauses)
        return json.text
    }

    private static func json(_ subject: ExplanationSubject) -> String {
        var json = JSONText()
        switch subject {
        case .notification(let id, _, let deviceClass):
            json.add("notification", id)
            json.add("class", deviceClass.rawValue)
        case .focusVisibility: json.add("focusVisibility", true)
        case .badge(_, let deviceClass):
            json.add("badge", true)
            json.add("class", deviceClass.rawValue)
        case .preference(let key, _): json.add("preference", key)
        }
        json.add("app", subject.app.rawValue)
        return json.text
    }

    private static func add(_ key: RowKey, to json: inout JSONText) {
        json.add("collection", key.collection.rawValue)
        json.add("app", key.app?.rawValue)
        json.add("key", key.key)
    }

    private static func array<Element>(_ elements: [Element], _ fill: (Element, inout JSONText) -> Void) -> String {
        let objects = elements.map { element in
            var json = JSONText()
            fill(element, &json)
            return json.text
        }
        return "[\(objects.joined(separator: ","))]"
    }
}
