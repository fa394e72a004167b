/// Why a post must not be logged as itself. These are asked of every post, so they read the record in its slot, where a
/// function of the record would be called on a copy of it (see `AppRecord`).
extension UserState {
    /// Rules N2 to N5.
    func postRefusal(_ body: NotificationPosted, _ slot: Int) -> Refusal? {
        switch apps[slot].status(.notifications) {
        case .authorized, .provisional: break
        case .notDetermined, .denied, .restricted, .notSupported:
            return Refusal(.notAuthorized, "notifications are neither authorized nor provisional for this app")
        }
        if body.marketing, let refusal = marketingRefusal(body, slot) { return refusal }
        if let id = body.interactionID, let refusal = communicationRefusal(id, slot) { return refusal }
        switch body.level {
        case .critical where !apps[slot].has(.critical):
            return Refusal(.entitlementRequired, "level critical needs the capability critical")
        case .timeSensitive where !apps[slot].has(.timeSensitive):
            return Refusal(.capabilityRequired, "level timeSensitive needs the capability timeSensitive")
        case .passive, .active, .timeSensitive, .critical: return nil
        }
    }

    /// Rule N4.
    private func marketingRefusal(_ body: NotificationPosted, _ slot: Int) -> Refusal? {
        if apps[slot].status(.marketing) != .authorized {
            return Refusal(
                .marketingConsentRequired, "the person has not agreed to marketing notifications of this app")
        }
        if body.interactionID != nil {
            return Refusal(.marketingCommunication, "a marketing notification cannot be a communication")
        }
        switch body.level {
        case .passive, .active: return nil
        case .timeSensitive, .critical:
            return Refusal(.marketingInterruptionLevel, "a marketing notification is passive or active")
        }
    }

    /// Rule N5.
    private func communicationRefusal(_ interactionID: String, _ slot: Int) -> Refusal? {
        guard apps[slot].has(.communication) else {
            return Refusal(.capabilityRequired, "a communication notification needs the capability communication")
        }
        guard apps[slot].interactions[ByteText(interactionID)].donation?.direction == .incoming else {
            return Refusal(.interactionNotDonated, "interactionID names no donated incoming interaction of this app")
        }
        return nil
    }
}
