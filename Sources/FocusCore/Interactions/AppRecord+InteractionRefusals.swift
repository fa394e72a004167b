extension AppRecord {
    /// Rule I1, and the bounds of what a donation may add.
    func donationRefusal(_ body: InteractionDonated, _ event: Event) -> Refusal? {
        guard has(.siriKit), registration?.value.declaredIntents.contains(body.intent.declared) == true else {
            return Refusal(
                .intentUndeclared, "donating needs the capability siriKit and the intent declared in app.registered")
        }
        // As in rule E4: ages are counted from the newest day, so an interaction in the future would take the weight of
        // all others.
        if body.startedAt > event.recordedAt.adding(microseconds: EventLimits.clockSkewMicroseconds) {
            return Refusal(.clockSkew, "startedAt is more than 5 minutes ahead of the server's clock")
        }
        let stamp = Stamp(time: body.startedAt, device: event.device, sequence: event.sequence)
        let others = Donation(body, stamp).people
        guard people.count + others.count > EventLimits.peoplePerApp else { return nil }
        guard people.count + others.count(where: { people[$0] == nil }) > EventLimits.peoplePerApp else { return nil }
        return Refusal(.tooMany, "an app's interactions are with at most \(EventLimits.peoplePerApp) people")
    }
}
