extension AlertReason {
    /// The rule of domain.md that gives this reason.
    public var rule: String {
        switch self {
        case .consent, .silenced: "N9.0"
        case .alertsOff, .provisional, .passive, .notAuthorized: "N9.1"
        case .critical: "N9.2"
        case .muted: "N9.3"
        case .focus: "N9.4"
        case .scheduledDelivery: "N9.5"
        case .timeSensitive, .allowedPerson, .allowedApp, .ordinary: "N9.6"
        case .inFront: "N9.7"
        case .summary, .read: "N10"
        case .healed: "S6"
        }
    }

    /// Why, in a sentence.
    public var sentence: String {
        switch self {
        case .consent: "The person does not agree to marketing of the app any more."
        case .silenced: "All apps are silenced: it is in the list only."
        case .inFront: "The app is in front on the device in use, and is told instead."
        case .alertsOff: "Alerts are off for the app: it is in the list only."
        case .provisional: "The app may notify only provisionally: it is in the list only."
        case .passive: "Its level is passive: it is in the list only."
        case .notAuthorized: "The app is not authorized to notify any more."
        case .critical: "Critical breaks through everything, the ring switch too."
        case .muted: "The app was muted when it was posted, or when it was decided again."
        case .focus: "A Focus is active that lets neither the app, nor its sender, nor its level through."
        case .scheduledDelivery: "The app is in scheduled delivery: it waits for the summary."
        case .timeSensitive: "It is time sensitive, and that breaks through."
        case .allowedPerson: "The active Focus lets its sender through."
        case .allowedApp: "The active Focus lets the app through."
        case .ordinary: "Nothing stands in its way."
        case .summary: "It came with a summary."
        case .read: "It was read before it could ring."
        case .healed: "It rang before the log lost it and got it back from a device."
        }
    }

    /// Names of the inputs that it is about (see `UserState.alertEvidence`).
    var deciding: Set<String> {
        switch self {
        case .consent: ["marketing", "marketingConsent"]
        case .silenced: ["silenced", "government"]
        case .inFront: ["inFront"]
        case .alertsOff: ["alerts"]
        case .provisional, .notAuthorized: ["authorization"]
        case .passive, .critical: ["level"]
        case .muted: ["muted"]
        case .focus: ["focus", "focusAllowsTimeSensitive", "focusAllowsApp", "focusAllowsSender"]
        case .scheduledDelivery: ["scheduledDelivery"]
        case .timeSensitive: ["level", "timeSensitive", "focusAllowsTimeSensitive"]
        case .allowedPerson: ["focusAllowsSender"]
        case .allowedApp: ["focusAllowsApp"]
        case .ordinary: ["focus", "scheduledDelivery"]
        case .summary: ["scheduledDelivery"]
        case .read: ["read"]
        case .healed: ["listed"]
        }
    }
}
