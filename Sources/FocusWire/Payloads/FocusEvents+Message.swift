import FocusCore

extension Focus_Events_V1_FocusConfigured: PayloadMessage {
    init(_ event: FocusConfigured) {
        self.init()
        focusID = event.focusID
        name = event.name
        if let text = event.symbol { symbol = text }
        allowedApps = event.allowedApps.map(\.rawValue).sorted()
        allowedPeople = event.allowedPeople.sorted().map(\.text)
        allowsTimeSensitive = event.allowsTimeSensitive
        sharesStatus = event.sharesStatus
    }

    func eventBody() throws(PayloadError) -> EventBody {
        var apps: Set<AppID> = []
        for text in allowedApps {
            guard let app = AppID(text) else {
                throw .malformed("allowed_apps has an entry that is no bundle identifier.")
            }
            apps.insert(app)
        }
        return .focusConfigured(
            FocusConfigured(
                focusID: focusID, name: name, symbol: hasSymbol ? symbol : nil, allowedApps: apps,
                allowedPeople: Set(allowedPeople.map { ByteText($0) }), allowsTimeSensitive: allowsTimeSensitive,
                sharesStatus: sharesStatus)
        )
    }
}

extension Focus_Events_V1_FocusRemoved: PayloadMessage {
    init(_ event: FocusRemoved) {
        self.init()
        focusID = event.focusID
    }

    func eventBody() throws(PayloadError) -> EventBody { .focusRemoved(FocusRemoved(focusID: focusID)) }
}

extension Focus_Events_V1_FocusChanged: PayloadMessage {
    init(_ event: FocusChanged) {
        self.init()
        focusID = event.focusID
        isActive = event.isActive
        if let time = event.endsAt { endsAtUs = time.microseconds }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .focusChanged(
            FocusChanged(
                focusID: focusID, isActive: isActive, endsAt: hasEndsAtUs ? Timestamp(microseconds: endsAtUs) : nil))
    }
}

extension Focus_Events_V1_FocusStatusReported: PayloadMessage {
    init(_ event: FocusStatusReported) {
        self.init()
        if let value = event.isFocused { isFocused = value }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .focusStatusReported(FocusStatusReported(isFocused: hasIsFocused ? isFocused : nil))
    }
}

extension Focus_Events_V1_FocusExpired: PayloadMessage {
    init(_ event: FocusExpired) {
        self.init()
        focusID = event.focusID
        activation = Focus_Events_V1_Stamp(event.activation)
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard hasActivation else { throw .malformed("activation is missing.") }
        return .focusExpired(FocusExpired(focusID: focusID, activation: try activation.stamp(field: "activation")))
    }
}

extension Focus_Events_V1_AudienceChanged: PayloadMessage {
    init(_ event: AudienceChanged) {
        self.init()
        add = event.add.sorted().map(\.description)
        remove = event.remove.sorted().map(\.description)
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .audienceChanged(
            AudienceChanged(add: try Self.users(add, field: "add"), remove: try Self.users(remove, field: "remove")))
    }

    private static func users(_ texts: [String], field: String) throws(PayloadError) -> Set<UserID> {
        var users: Set<UserID> = []
        for text in texts {
            guard let user = UserID(text: text) else { throw .malformed("\(field) has an entry that is no UUID.") }
            users.insert(user)
        }
        return users
    }
}
