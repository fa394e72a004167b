/// What a session may append (domain.md §0, rule A4). Decided before anything else is looked at, so that an answer says
/// nothing about another app.
enum EventScope {
    static func refusal(_ event: Event, _ scope: Scope) -> Refusal? {
        // The server's own events: no client's token names the nil device.
        if event.device == .server { return nil }
        let author = event.body.type.traits.author
        switch scope {
        case .system:
            switch author {
            case .server: return Refusal(.forbidden, "only the server appends this type")
            case .app: return Refusal(.forbidden, "only a session of the app may append this")
            case .apps, .system: return nil
            }
        case .app(let app):
            guard event.app == app else {
                return Refusal(.forbidden, "a session of an app appends only events of that app")
            }
            guard author == .apps || author == .app || isConsent(event.body) else {
                return Refusal(.forbidden, "only a system session may append this")
            }
            return nil
        }
    }

    /// An app must not authorize itself; consent to marketing is asked for by the app.
    private static func isConsent(_ body: EventBody) -> Bool {
        if case .authorizationChanged(let change) = body { change.kind == .marketing } else { false }
    }
}
