import EventStore

/// What a replay writes of an event.
struct ReplayText: Sendable {
    let format: ReplayFormat
    /// Nil: events are given as they are.
    let pseudonyms: ReplayPseudonyms?

    func append(_ event: LoggedEvent, to bytes: inout [UInt8]) {
        if let pseudonyms {
            format.append(pseudonyms.hiding(event), to: &bytes)
        } else {
            format.append(event, to: &bytes)
        }
    }
}
