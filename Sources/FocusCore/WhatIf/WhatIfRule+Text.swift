/// Why a rule file cannot be read.
public struct WhatIfRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; 0 when the error is about the whole file.
    public var line: Int
    public var message: String

    public var description: String { line == 0 ? message : "line \(line): \(message)" }
}

/// The format: a change per line, `#` begins a comment, empty lines mean nothing.
///
///     allow app com.example.chat in work
///     deny app com.example.chat in *
///     allow person anna@example.com in *
///     deny time-sensitive in sleep
///     set com.example.chat time-sensitive off
///     set * scheduled-delivery on
///     silence on
///     consent com.example.shop off
///     route accuracy 20
extension WhatIfRule {
    public init(parsing text: String) throws(WhatIfRuleError) {
        changes = []
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let verb = words.first else { continue }
            do throws(WhatIfRuleError) {
                changes.append(try Self.change(verb, Array(words.dropFirst())))
            } catch {
                throw WhatIfRuleError(line: number, message: error.message)
            }
        }
        if changes.isEmpty { throw WhatIfRuleError(line: 0, message: "the file holds no change") }
    }

    private static func change(_ verb: String, _ words: [String]) throws(WhatIfRuleError) -> Change {
        switch verb {
        case "allow": return try permission(words, isAllowed: true)
        case "deny": return try permission(words, isAllowed: false)
        case "set": return try setting(words)
        case "silence":
            guard words.count == 1, let isOn = try? Self.isOn(words[0]) else { throw wrong("expected: silence on|off") }
            return .silence(isOn: isOn)
        case "consent":
            guard words.count == 2 else { throw wrong("expected: consent APP on|off, or consent * on|off") }
            return .consent(isGiven: try isOn(words[1]), app: try app(words[0]))
        case "route":
            guard words.count == 2, words[0] == "accuracy", let limit = Double(words[1]), limit > 0, limit.isFinite
            else { throw wrong("expected: route accuracy METRES, a number above 0") }
            return .routeAccuracy(limit)
        default: throw wrong("\(verb) is none of allow, deny, set, silence, consent, route")
        }
    }

    private static func permission(_ words: [String], isAllowed: Bool) throws(WhatIfRuleError) -> Change {
        // The Focus stands behind the last "in".
        guard words.count >= 3, words[words.count - 2] == "in" else {
            throw wrong("expected: … in FOCUS, or in * for every Focus")
        }
        let focus = words[words.count - 1] == "*" ? nil : words[words.count - 1]
        let name = words[1..<words.count - 2].joined(separator: " ")
        switch words[0] {
        case "app":
            guard let app = AppID(name) else { throw wrong("“\(name)” is no bundle identifier") }
            return .app(app, isAllowed: isAllowed, focus: focus)
        case "person":
            guard !name.isEmpty, name.utf8.count <= EventLimits.personBytes else {
                throw wrong("a person's handle has 1 to \(EventLimits.personBytes) bytes")
            }
            return .person(name, isAllowed: isAllowed, focus: focus)
        case "time-sensitive" where name.isEmpty: return .timeSensitive(isAllowed: isAllowed, focus: focus)
        default: throw wrong("expected: app ID, person HANDLE or time-sensitive, then in FOCUS")
        }
    }

    private static func setting(_ words: [String]) throws(WhatIfRuleError) -> Change {
        let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
        guard words.count == 3, let setting = Setting(rawValue: words[1]), let isOn = try? Self.isOn(words[2]) else {
            throw wrong("expected: set APP SETTING on|off, SETTING one of \(known)")
        }
        return .setting(setting, isOn: isOn, app: try app(words[0]))
    }

    /// Nil for `*`, every app.
    private static func app(_ word: String) throws(WhatIfRuleError) -> AppID? {
        guard word != "*" else { return nil }
        guard let app = AppID(word) else { throw wrong("“\(word)” is no bundle identifier") }
        return app
    }

    private static func isOn(_ word: String) throws(WhatIfRuleError) -> Bool {
        switch word {
        case "on": return true
        case "off": return false
        default: throw wrong("“\(word)” is neither on nor off")
        }
    }

    private static func wrong(_ message: String) -> WhatIfRuleError { WhatIfRuleError(line: 0, message: message) }
}
