/// `categories.registered`: the kinds of notifications that an app posts, and what can be done with them (rule N1). A
/// register: it replaces all of the app's categories.
public struct CategoriesRegistered: Hashable, Sendable {
    public var categories: [NotificationCategory]
    public init(categories: [NotificationCategory]) { self.categories = categories }
}

public struct NotificationCategory: Hashable, Sendable {
    /// The id that `notification.posted` names; unique among the app's categories.
    public var id: String
    /// Shown instead of the body when previews are hidden (rule N13).
    public var hiddenPreviewsPlaceholder: String?
    /// At most four (rule N1), in the order in which they are shown.
    public var actions: [NotificationAction]

    public init(id: String, hiddenPreviewsPlaceholder: String? = nil, actions: [NotificationAction] = []) {
        self.id = id
        self.hiddenPreviewsPlaceholder = hiddenPreviewsPlaceholder
        self.actions = actions
    }

    func action(_ id: String) -> NotificationAction? { actions.first { ByteText.equal($0.id, id) } }

    /// Rule N12: what a double tap means; nil when all are destructive.
    var doubleTapAction: NotificationAction? { actions.first { !$0.destructive } }
}

public struct NotificationAction: Hashable, Sendable {
    /// Unique in its category.
    public var id: String
    public var title: String
    /// Name of an icon.
    public var icon: String?
    public var destructive: Bool
    public var opensApp: Bool
    /// Whether it takes a text (rule N12).
    public var textInput: Bool
    public var needsUnlock: Bool

    public init(
        id: String, title: String, icon: String? = nil, destructive: Bool = false, opensApp: Bool = false,
        textInput: Bool = false, needsUnlock: Bool = false
    ) {
        self.id = id
        self.title = title
        self.icon = icon
        self.destructive = destructive
        self.opensApp = opensApp
        self.textInput = textInput
        self.needsUnlock = needsUnlock
    }
}

/// `action.handled` (rule N20): the app takes up what was done with its notifications.
public struct ActionHandled: Hashable, Sendable {
    /// The id of the event that performed it, the key of a row in `waiting_actions`; nil when the app only says that
    /// from now on it is to be told.
    public var id: EventID?
    public init(id: EventID?) { self.id = id }
}

/// `notification.actionPerformed` (rule N12): the user did something with a notification, which thereby is read.
public struct NotificationActionPerformed: Hashable, Sendable {
    public enum Gesture: Hashable, Sendable {
        /// An action of the notification's category, by id.
        case action(String)
        /// The first nondestructive action of the category.
        case doubleTap
    }

    public var notificationID: String
    public var gesture: Gesture
    /// What was typed, for an action that takes text.
    public var text: String?

    public init(notificationID: String, gesture: Gesture, text: String? = nil) {
        self.notificationID = notificationID
        self.gesture = gesture
        self.text = text
    }
}
