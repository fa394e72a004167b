extension UserState {
    /// Rule I1, and the bounds of what a donation may add.
    func donationRefusal(_ body: InteractionDonated, _ event: Event, _ slot: Int) -> Refusal? {
        guard apps[slot].has(.siriKit),
            apps[slot].registration?.value.declaredIntents.contains(body.intent.declared) == true
        else {
            return Refusal(
                .intentUndeclared, "donating needs the capability siriKit and the intent declared in app.registered")
        }
        // As in rule E4: ages are counted from the newest day, so an interaction in the future would take the weight of
        // all others.
        if body.startedAt > event.recordedAt.adding(microseconds: EventLimits.clockSkewMicroseconds) {
            return Refusal(.clockSkew, "startedAt is more than 5 minutes ahead of the server's clock")
        }
        let known = apps[slot].people
        let people = Donation(body, Stamp(time: body.startedAt, device: event.device, sequence: event.sequence)).people
        guard known.count + people.count > EventLimits.peoplePerApp else { return nil }
        guard known.count + people.count(where: { known[$0] == nil }) > EventLimits.peoplePerApp else { return nil }
        return Refusal(.tooMany, "an app's interactions are with at most \(EventLimits.peoplePerApp) people")
    }

    /// Rule N5.
    func communicationRefusal(_ interactionID: String, _ slot: Int) -> Refusal? {
        guard apps[slot].has(.communication) else {
            return Refusal(.capabilityRequired, "a communication notification needs the capability communication")
        }
        guard apps[slot].interactions[ByteText(interactionID)].donation?.direction == .incoming else {
            return Refusal(.interactionNotDonated, "interactionID names no donated incoming interaction of this app")
        }
        return nil
    }
}
