/// The names in a rule that a history is to know: a misspelt one would change nothing, and that would look like an
/// answer.
///
/// Flow: the names of a rule → `see` each event → `missing`, each beside what there is.
public struct WhatIfNames: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case focus = "Focus"
        case app
        case person
    }

    /// A name that no event has.
    public struct Missing: Hashable, Sendable {
        public let kind: Kind
        public let name: String
        /// Names of the kind that events have, at most `limit`, sorted.
        public let known: [String]
    }

    /// How many names of a kind are kept to be told of.
    static let limit = 10_000
    /// The types of event that have names.
    public static let types: Set<EventType> = [.focusConfigured, .appRegistered, .interactionDonated]

    private var wanted: [Kind: Set<ByteText>] = [:]
    private var known: [Kind: Set<ByteText>] = [:]

    public init(_ rule: WhatIfRule) {
        for change in rule.changes {
            switch change {
            case .app(let app, _, let focus): want(app.rawValue, .app, in: focus)
            case .person(let person, _, let focus): want(person, .person, in: focus)
            case .timeSensitive(_, let focus): want(nil, .focus, in: focus)
            case .setting(_, _, let app): want(app?.rawValue, .app, in: nil)
            case .consent(_, let app): want(app?.rawValue, .app, in: nil)
            case .silence, .routeAccuracy: break
            }
        }
    }

    /// Whether every name was found.
    public var isComplete: Bool { wanted.values.allSatisfy(\.isEmpty) }

    /// Looks for names in an event.
    /// - Parameter app: whose event it is.
    public mutating func see(_ body: EventBody, of app: AppID?) {
        if case .focusConfigured(let focus) = body {
            find([focus.focusID], .focus)
            find(focus.allowedApps.map(\.rawValue), .app)
            find(focus.allowedPeople.map(\.text), .person)
        } else if case .appRegistered = body, let app {
            find([app.rawValue], .app)
        } else if case .interactionDonated(let interaction) = body {
            find(interaction.intent.people.map(\.handle), .person)
        }
    }

    /// The names that were not found, by kind and name.
    public var missing: [Missing] {
        Kind.allCases.flatMap { kind in
            let known = known[kind, default: []].sorted().map(\.text)
            return wanted[kind, default: []].sorted().map { Missing(kind: kind, name: $0.text, known: known) }
        }
    }

    private mutating func want(_ name: String?, _ kind: Kind, in focus: String?) {
        if let name { wanted[kind, default: []].insert(ByteText(name)) }
        if let focus { wanted[.focus, default: []].insert(ByteText(focus)) }
    }

    private mutating func find(_ names: some Sequence<String>, _ kind: Kind) {
        for name in names.lazy.map({ ByteText($0) }) {
            wanted[kind]?.remove(name)
            if known[kind, default: []].count < Self.limit { known[kind, default: []].insert(name) }
        }
    }
}

extension InteractionIntent {
    /// Everybody whom the interaction names.
    fileprivate var people: [Person] {
        switch self {
        case .sendMessage(let message): message.recipients + (message.sender.map { [$0] } ?? [])
        case .startCall(let call): call.participants + (call.caller.map { [$0] } ?? [])
        }
    }
}
