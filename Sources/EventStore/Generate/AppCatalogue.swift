import FocusCore

/// The apps that the users of a generated log have.
struct AppCatalogue {
    /// What an app is like, as far as its events tell.
    enum Kind: Hashable, Sendable {
        /// People write and call.
        case chat
        /// Things with a time.
        case calendar
        /// Much, of little weight.
        case news
        /// Offers, with consent or without.
        case shop
        /// Records routes.
        case sport
        case other
    }

    struct App: Sendable {
        var id: AppID
        var name: String
        var kind: Kind
    }

    static let apps: [App] = [
        app("com.example.messages", "Messages", .chat), app("com.example.chat", "Chat", .chat),
        app("com.example.mail", "Mail", .other), app("com.example.calendar", "Calendar", .calendar),
        app("com.example.news", "News", .news), app("com.example.run", "Run", .sport),
        app("com.example.shop", "Shop", .shop), app("com.example.bank", "Bank", .other),
        app("com.example.video", "Video", .news), app("com.example.home", "Home", .calendar),
        app("com.example.team", "Team", .chat), app("com.example.weather", "Weather", .news),
    ]

    private static func app(_ id: String, _ name: String, _ kind: Kind) -> App {
        guard let id = AppID(id) else { preconditionFailure("\(id) is no bundle identifier") }
        return App(id: id, name: name, kind: kind)
    }

    static let people = [
        Person(handle: "anna@example.com", displayName: "Anna"),
        Person(handle: "+49 30 1234", displayName: "Ben Okafor"),
        Person(handle: "chiara@example.com", displayName: "Chiara"), Person(handle: "dmitri", displayName: "Dmitri"),
        Person(handle: "emma@example.com", displayName: "Emma"), Person(handle: "+1 555 0100"),
        Person(handle: "grace@example.com", displayName: "Grace"), Person(handle: "haruto", displayName: "Haruto"),
    ]

    static let titles = [
        "Lunch", "Build is green", "Delivery", "Meeting moved", "Photos", "Reminder", "Goal!", "Invoice",
    ]

    static let bodies = [
        "Are we still on for lunch at half past twelve tomorrow?",
        "The build is green again; I merged the fix for the time zone bug.",
        "Can you pick up milk and bread on your way home?",
        "Running ten minutes late, please start without me, sorry!",
        "Your parcel will be delivered today between 14:00 and 16:00.",
        "Photos from the weekend are in the shared album now.",
        "Meeting moved to room 4.12, same time. Bring the draft please.",
        "Dentist on Thursday, 9:15, bring your card.",
    ]

    static let zones = [("Europe/Berlin", 1), ("America/New_York", -5), ("Asia/Tokyo", 9), ("UTC", 0)]
}
