/// Whether a notification rings (rule N9).
public enum Alert: Int32, Hashable, Sendable, CaseIterable {
    case now = 1
    case none, heldByFocus, heldForSummary

    /// Held alerts are decided again when what held them changes (rule N10); the others are final.
    public var isHeld: Bool {
        switch self {
        case .heldByFocus, .heldForSummary: true
        case .now, .none: false
        }
    }
}

/// Why an alert was decided so.
public enum AlertReason: Int32, Hashable, Sendable, CaseIterable {
    case alertsOff = 1
    case provisional, passive, notAuthorized, critical, muted, focus, scheduledDelivery, timeSensitive,
        allowedPerson, allowedApp, ordinary, summary, read, healed, consent, silenced,
        inFront
}

/// The result of rule N9.
public struct AlertDecision: Hashable, Sendable {
    public var alert: Alert
    public var reason: AlertReason
    public var overridesSilentSwitch: Bool

    public init(_ alert: Alert, _ reason: AlertReason, overridesSilentSwitch: Bool = false) {
        self.alert = alert
        self.reason = reason
        self.overridesSilentSwitch = overridesSilentSwitch
    }
}

/// Everything that rule N9 looks at, for one class of device.
public struct AlertInputs: Hashable, Sendable {
    /// How the active Focus treats the notification.
    public struct FocusFilter: Hashable, Sendable {
        public var allowsTimeSensitive: Bool
        public var allowsApp: Bool
        /// False unless it is a communication.
        public var allowsSender: Bool

        public init(allowsTimeSensitive: Bool, allowsApp: Bool, allowsSender: Bool) {
            self.allowsTimeSensitive = allowsTimeSensitive
            self.allowsApp = allowsApp
            self.allowsSender = allowsSender
        }
    }

    /// The app's authorization of kind `notifications`.
    public var authorization: AuthorizationStatus
    /// The level it is decided as: `active` for a communication (domain.md §4) and for an event far ahead (rule N3).
    public var level: InterruptionLevel
    public var isMarketing = false
    /// Whether the person agrees to marketing of the app now (rule N4).
    public var consentsToMarketing = false
    public var isCommunication = false
    /// Whether it passes `isSilenced` (rule N17).
    public var isGovernmentAlert = false
    /// Whether all apps are silenced now (rule N17).
    public var isSilenced = false
    /// How the active Focus treats the notification; nil when no Focus is active.
    public var focus: FocusFilter?
    /// Whether alerts are on for the app: a setting (rule N15), like `timeSensitiveOn` and `inScheduledDelivery`.
    public var alertsOn = true
    public var timeSensitiveOn = true
    /// Whether the app was muted at the post's stamp (rule N16).
    public var isMuted = false
    /// Whether the app is in front on the device in use (rule N18); asked of posts alone.
    public var isInFront = false
    /// False while the schedule has no times.
    public var inScheduledDelivery = false

    public init(authorization: AuthorizationStatus, level: InterruptionLevel) {
        self.authorization = authorization
        self.level = level
    }
}

extension AlertDecision {
    /// Rule N9, first match wins. What would ring while its app is in front is told there instead (N9.7); what is about
    /// danger rings all the same.
    public init(_ inputs: AlertInputs) {
        self.init(whereverTheAppIs: inputs)
        if alert == .now, inputs.isInFront, inputs.level != .critical, !inputs.isGovernmentAlert {
            self = AlertDecision(.none, .inFront)
        }
    }

    private init(whereverTheAppIs inputs: AlertInputs) {
        if let reason = Self.silence(inputs) {
            self.init(.none, reason)
        } else if inputs.level == .critical {
            self.init(.now, .critical, overridesSilentSwitch: true)
        } else if inputs.isMuted {
            self.init(.none, .muted)
        } else {
            self.init(passing: inputs)
        }
    }

    /// N9.0 and N9.1: why the notification is only an entry in the list; nil when it may be more. Marketing that the
    /// person has opted out of while its alert was held must not ring, nor must an app that lost its authorization; at
    /// the post itself rules N4 and N2 refuse both.
    private static func silence(_ inputs: AlertInputs) -> AlertReason? {
        if inputs.isSilenced && !inputs.isGovernmentAlert { return .silenced }
        if inputs.isMarketing && !inputs.consentsToMarketing { return .consent }
        if !inputs.alertsOn { return .alertsOff }
        switch inputs.authorization {
        case .authorized: break
        case .provisional: return .provisional
        case .notDetermined, .denied, .restricted, .notSupported: return .notAuthorized
        }
        return inputs.level == .passive ? .passive : nil
    }

    /// N9.4 to N9.6.
    private init(passing inputs: AlertInputs) {
        let timeSensitive = inputs.level == .timeSensitive && inputs.timeSensitiveOn
        var reason = AlertReason.ordinary
        if let focus = inputs.focus {
            // Allow-lists do not apply to marketing (rule N4).
            if timeSensitive && focus.allowsTimeSensitive {
                reason = .timeSensitive
            } else if !inputs.isMarketing && inputs.isCommunication && focus.allowsSender {
                reason = .allowedPerson
            } else if !inputs.isMarketing && focus.allowsApp {
                reason = .allowedApp
            } else {
                self.init(.heldByFocus, .focus)
                return
            }
        }
        if inputs.inScheduledDelivery {
            if timeSensitive {
                reason = .timeSensitive
            } else if !inputs.isCommunication {
                self.init(.heldForSummary, .scheduledDelivery)
                return
            }
        }
        self.init(.now, reason)
    }
}
