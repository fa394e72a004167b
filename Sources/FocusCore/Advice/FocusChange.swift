/// A change of a Focus' allow lists.
public struct FocusChange: Hashable, Sendable, Comparable {
    public enum Subject: Hashable, Sendable {
        case app(AppID)
        /// By handle (rule N9.4).
        case person(String)
        case timeSensitive
    }

    public var subject: Subject
    public var focusID: String
    /// Whether it lets through what was held; else it holds what came through.
    public var allows: Bool

    /// The line of a rule file that `focusctl what-if` takes.
    public var rule: String {
        let verb = allows ? "allow" : "deny"
        return switch subject {
        case .app(let app): "\(verb) app \(app) in \(focusID)"
        case .person(let handle): "\(verb) person \(handle) in \(focusID)"
        case .timeSensitive: "\(verb) time-sensitive in \(focusID)"
        }
    }

    public static func < (a: Self, b: Self) -> Bool { a.rule < b.rule }
}

/// What became of the alerts that a change would have made come out otherwise.
public struct FocusAdviceCount: Hashable, Sendable {
    /// All of them.
    public var alerts = 0
    /// Those that were held and opened while the Focus was on, or within a minute of its end; those that rang and were
    /// opened at all.
    public var wanted = 0
    /// Never read within a day, or removed unread.
    public var ignored = 0
}

/// An app's time-sensitive notifications, and what became of what they promise: to matter within the hour (rule N3).
public struct FocusAdvicePromises: Hashable, Sendable {
    public var posts = 0
    /// Those that rang at once.
    public var rang = 0
    /// Those that were opened within an hour.
    public var opened = 0
}

/// What a change would have done, with names for people.
public struct FocusAdviceLine: Hashable, Sendable {
    public var change: FocusChange
    /// The person's, the app's, or what else it is about.
    public var name: String
    public var focusName: String
    public var count: FocusAdviceCount

    /// How many alerts would have come out better: wanted ones in time, ignored ones later.
    public var gain: Int { change.allows ? count.wanted : count.ignored }
}
