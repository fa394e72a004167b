/// `focus.configured`: the configuration of each Focus is a register.
public struct FocusConfigured: Hashable, Sendable {
    public var focusID: String
    public var name: String
    public var symbol: String?
    public var allowedApps: Set<AppID>
    /// Handles of people whose communication breaks through.
    public var allowedPeople: Set<ByteText>
    /// Whether notifications of level timeSensitive break through (rule N9.4).
    public var allowsTimeSensitive: Bool
    /// Whether apps may be told that this Focus is on (rule F3.2).
    public var sharesStatus: Bool

    public init(
        focusID: String, name: String, symbol: String? = nil, allowedApps: Set<AppID> = [],
        allowedPeople: Set<ByteText> = [],
        allowsTimeSensitive: Bool = true, sharesStatus: Bool = true
    ) {
        self.focusID = focusID
        self.name = name
        self.symbol = symbol
        self.allowedApps = allowedApps
        self.allowedPeople = allowedPeople
        self.allowsTimeSensitive = allowsTimeSensitive
        self.sharesStatus = sharesStatus
    }
}

/// `focus.removed`.
public struct FocusRemoved: Hashable, Sendable {
    public var focusID: String
    public init(focusID: String) { self.focusID = focusID }
}

/// `focus.changed`: a Focus went on or off (rule F1).
public struct FocusChanged: Hashable, Sendable {
    public var focusID: String
    public var isActive: Bool
    /// When an activation ends by itself (rule F2); nil when it is on until somebody ends it.
    public var endsAt: Timestamp?
    public init(focusID: String, isActive: Bool, endsAt: Timestamp? = nil) {
        self.focusID = focusID
        self.isActive = isActive
        self.endsAt = endsAt
    }
}

/// `focus.statusReported`: what an app's own extension was told by the operating system (rule F4).
public struct FocusStatusReported: Hashable, Sendable {
    /// Nil withdraws the report.
    public var isFocused: Bool?
    public init(isFocused: Bool?) { self.isFocused = isFocused }
}

/// `focus.expired` (rule T1), appended by the server: ends exactly the activation with this stamp.
public struct FocusExpired: Hashable, Sendable {
    public var focusID: String
    public var activation: Stamp
    public init(focusID: String, activation: Stamp) {
        self.focusID = focusID
        self.activation = activation
    }
}

/// `audience.changed`: which users of the app may be shown this user's status in it (rule F5). Each member is a
/// register.
public struct AudienceChanged: Hashable, Sendable {
    public var add: Set<UserID>
    public var remove: Set<UserID>
    public init(add: Set<UserID> = [], remove: Set<UserID> = []) {
        self.add = add
        self.remove = remove
    }
}
