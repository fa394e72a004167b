/// What an app is asked about its notifications.
public enum LintQuestion: String, Hashable, Sendable, CaseIterable {
    /// The same title, subtitle and body came again within a day, under another id.
    case sameContentAgain = "same-content-again"
    /// The title is the app's name, or begins with it: the name is shown without it (rule N6).
    case nameInTitle = "name-in-title"
    /// An action's title has the app's name in it.
    case nameInAction = "name-in-action"
    /// A category has no text for when previews are hidden (rule N13).
    case noPlaceholder = "no-placeholder"
    /// A category's first action is destructive: a double tap does another one (rule N12).
    case destructiveFirst = "destructive-first"
    /// Time sensitive, and says no time of what it is about (rule N3).
    case timeSensitiveWithoutTime = "time-sensitive-without-time"
    /// Time sensitive more than an hour before what it is about: decided as active (rule N3).
    case timeSensitiveTooEarly = "time-sensitive-too-early"
    /// The badge has only grown for a month: nobody reads these, or the app does not say so (rule B1).
    case badgeNeverFalls = "badge-never-falls"

    /// What is better, in a sentence.
    public var advice: String {
        switch self {
        case .sameContentAgain: "Post again under the same id: it replaces the one before."
        case .nameInTitle: "Leave the title out, or say what it is about: the app's name is shown anyway."
        case .nameInAction: "Name only what the action does."
        case .noPlaceholder: "Register a placeholder that says what kind of notification it is."
        case .destructiveFirst: "Put the most frequent, nondestructive action first."
        case .timeSensitiveWithoutTime: "Say when it happens, or post it as active."
        case .timeSensitiveTooEarly: "Post it within the hour before."
        case .badgeNeverFalls: "Tell what was read in the app; post less of what nobody opens."
        }
    }
}

/// An event to which the answer to a question was not as it should be.
public struct LintFinding: Hashable, Sendable {
    public var question: LintQuestion
    public var version: Version
    public var event: EventID
    public var occurredAt: Timestamp
    /// The notification's id; of a category its id, and behind a slash the action's.
    public var about: String
    /// The event that posted the same content before.
    public var earlier: EventID?

    init(_ question: LintQuestion, _ event: Event, about: String, earlier: EventID? = nil) {
        self.question = question
        version = event.version
        self.event = event.id
        occurredAt = event.occurredAt
        self.about = about
        self.earlier = earlier
    }
}
