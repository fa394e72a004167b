/// The answer to "why?": what was decided, by which rule of domain.md, from what, and which events led to it.
public struct Explanation: Hashable, Sendable {
    /// Something that the rule looked at.
    public struct Input: Hashable, Sendable {
        public var name: String
        public var value: String
        /// Whether it is what decided.
        public var decided: Bool

        init(_ name: String, _ value: some Any, decided: Bool = false) {
            self.name = name
            self.value = "\(value)"
            self.decided = decided
        }
    }

    /// What an event did to a row.
    public struct Change: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case added, changed, removed
            /// Nothing that devices see changed: only what the fold remembers, a stamp for example.
            case remembered
        }

        public var key: RowKey
        public var kind: Kind
    }

    /// An event, and the rows of the subject that it changed. An event without changes named the subject and lost (rule
    /// E3), or changed nothing for another reason.
    public struct Cause: Hashable, Sendable {
        public var version: Version
        public var event: EventID
        public var type: EventType
        public var app: AppID?
        public var device: DeviceID
        public var occurredAt: Timestamp
        public var recordedAt: Timestamp
        public var changes: [Change]
    }

    /// A row that the decision stands in, or rests on, as it was when that was decided.
    public struct Source: Hashable, Sendable {
        public var key: RowKey
        public var version: Version
        public var value: [UInt8]
    }

    public var subject: ExplanationSubject
    /// The user's version: the explanation holds as of this event.
    public var version: Version
    /// The decision in one word: `heldByFocus`, `unavailable`, `3`.
    public var decision: String
    /// The rule's name in domain.md: `N9.4`.
    public var rule: String
    /// Why, in a sentence.
    public var sentence: String
    public var inputs: [Input]
    public var sources: [Source]
    /// The events that led to it, in the order of the log.
    public var causes: [Cause]
    /// How many earlier events are left out: those of the subject itself beyond the last `Inquiry.historyLimit`.
    public var omittedCauses: Int
}
