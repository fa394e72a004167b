/// Why an event was not accepted: a value, not an error (rule E2).
public struct Refusal: Hashable, Sendable {
    public let code: RefusalCode
    /// What is wrong and what to do about it, for the developer of the device. Never holds another app's data.
    public let message: String

    public init(_ code: RefusalCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Stable codes of refused events. The raw value is what devices see.
public enum RefusalCode: String, Hashable, Sendable, CaseIterable {
    // Any event
    case forbidden
    case payloadMalformed = "payload_malformed"
    case payloadTooLarge = "payload_too_large"
    case stringTooLong = "string_too_long"
    case fieldMissing = "field_missing"
    case fieldInvalid = "field_invalid"
    case clockSkew = "clock_skew"
    /// The event was answered in an earlier incarnation of the device, and that first answer stands (rule E1).
    case alreadyLogged = "already_logged"
    // Apps and permissions
    case appUnknown = "app_unknown"
    case notAuthorized = "not_authorized"
    // Notifications
    case entitlementRequired = "entitlement_required"
    case capabilityRequired = "capability_required"
    case marketingConsentRequired = "marketing_consent_required"
    case marketingInterruptionLevel = "marketing_interruption_level"
    case marketingCommunication = "marketing_communication"
    case interactionNotDonated = "interaction_not_donated"
    case tooManyActions = "too_many_actions"
    case duplicateAction = "duplicate_action"
    case actionUnknown = "action_unknown"
    case textNotAccepted = "text_not_accepted"
    case actionHandled = "action_handled"
    // Interactions
    case intentUndeclared = "intent_undeclared"
    // Routes
    case tooManyPoints = "too_many_points"
    case routeUnknown = "route_unknown"
    case routeExists = "route_exists"
    case routeEmpty = "route_empty"
    case routeFinished = "route_finished"
    case routeOtherDevice = "route_other_device"
    case routeAlreadyAssociated = "route_already_associated"
    case workoutUnknown = "workout_unknown"
    // Preferences
    case tooManyPreferences = "too_many_preferences"
    case valueTooDeep = "value_too_deep"
    case valueTooLarge = "value_too_large"
    // E5 bounds of lists
    case tooMany = "too_many"
}
