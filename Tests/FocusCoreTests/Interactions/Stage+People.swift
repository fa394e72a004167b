@testable import FocusCore

// Interactions, categories and actions on the stage.
extension Stage {
    static let day = 86_400.0

    /// A message to or from one person. `started` is its second on the stage's clock.
    static func message(
        _ id: String, _ direction: InteractionDirection, with handle: String, name: String? = nil,
        group: String? = nil, conversation: String = "k", at started: Double
    ) -> EventBody {
        let person = Person(handle: handle, displayName: name, avatar: name.map { "avatar of \($0)" })
        let message = SendMessage(
            conversationID: conversation, groupName: group, sender: direction == .incoming ? person : nil,
            recipients: direction == .outgoing ? [person] : [])
        return .interactionDonated(
            InteractionDonated(
                interactionID: id, direction: direction, intent: .sendMessage(message), startedAt: .at(started)))
    }

    @discardableResult
    mutating func donate(
        _ id: String, _ direction: InteractionDirection = .outgoing, with handle: String = "anna",
        name: String? = nil, group: String? = nil, conversation: String = "k", app: AppID = .chat,
        started: Double? = nil, at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = Self.message(
            id, direction, with: handle, name: name, group: group, conversation: conversation,
            at: started ?? second)
        return send(body, app: app, from: device, at: second)
    }

    @discardableResult
    mutating func delete(
        _ what: InteractionDeleted, _ app: AppID = .chat, at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? { send(.interactionDeleted(what), app: app, from: device, at: second) }

    @discardableResult
    mutating func communicate(
        _ id: String, about interaction: String, title: String? = "T", marketing: Bool = false,
        level: InterruptionLevel = .active,
        at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = NotificationPosted(
            notificationID: id, title: title, subtitle: "S", body: "B", level: level, marketing: marketing,
            interactionID: interaction)
        return send(.notificationPosted(body), app: .chat, from: device, at: second)
    }

    @discardableResult
    mutating func categorize(
        _ categories: NotificationCategory..., at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        send(
            .categoriesRegistered(CategoriesRegistered(categories: categories)), app: .chat, from: device, at: second)
    }

    @discardableResult
    mutating func post(_ id: String, category: String, at second: Double, from device: DeviceID = .phone)
        -> RefusalCode?
    {
        let body = NotificationPosted(notificationID: id, category: category, thread: "anna", title: "T", body: "B")
        return send(.notificationPosted(body), app: .chat, from: device, at: second)
    }

    @discardableResult
    mutating func perform(
        _ gesture: NotificationActionPerformed.Gesture, on id: String, text: String? = nil, at second: Double,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = NotificationActionPerformed(notificationID: id, gesture: gesture, text: text)
        return send(.notificationActionPerformed(body), app: .chat, from: device, at: second)
    }

    func action(_ id: String) -> ActionRow? { value(ActionRow.self, RowKey(.actions, app: .chat, key: id)) }
}
