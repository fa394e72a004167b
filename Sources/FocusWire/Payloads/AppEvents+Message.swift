import FocusCore

extension Focus_Events_V1_AppRegistered: PayloadMessage {
    init(_ event: AppRegistered) {
        self.init()
        name = event.name
        build = event.build
        declaredIntents = event.declaredIntents.map(\.rawValue).sorted().map { Intent(number: $0) }
        capabilities = event.capabilities.map(\.rawValue).sorted().map { Capability(number: $0) }
        if let text = event.focusStatusUsageDescription { focusStatusUsageDescription = text }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        var intents: Set<DeclaredIntent> = []
        for intent in declaredIntents {
            intents.insert(try DeclaredIntent(number: intent.rawValue, field: "declared_intents"))
        }
        var granted: Set<AppCapability> = []
        for capability in capabilities {
            granted.insert(try AppCapability(number: capability.rawValue, field: "capabilities"))
        }
        return .appRegistered(
            AppRegistered(
                name: name, build: build, declaredIntents: intents, capabilities: granted,
                focusStatusUsageDescription: hasFocusStatusUsageDescription ? focusStatusUsageDescription : nil))
    }
}

extension Focus_Events_V1_AuthorizationChanged: PayloadMessage {
    init(_ event: AuthorizationChanged) {
        self.init()
        kind = Kind(number: event.kind.rawValue)
        status = Status(number: event.status.rawValue)
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .authorizationChanged(
            AuthorizationChanged(
                kind: try AuthorizationKind(number: kind.rawValue, field: "kind"),
                status: try AuthorizationStatus(number: status.rawValue, field: "status")))
    }
}
