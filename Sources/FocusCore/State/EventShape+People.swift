/// Fields of events about interactions, categories and actions.
extension EventShape {
    static func donation(_ body: InteractionDonated, _ check: inout FieldCheck) {
        check.identifier("interactionID", body.interactionID)
        if let duration = body.durationMicroseconds, duration < 0 {
            check.refuse(.fieldInvalid, "duration is negative")
        }
        switch body.intent {
        case .sendMessage(let message):
            check.identifier("conversationID", message.conversationID)
            check.text("groupName", message.groupName)
            initiator("sender", message.sender, body.direction, &check)
            people("recipients", message.recipients, &check)
        case .startCall(let call):
            initiator("caller", call.caller, body.direction, &check)
            people("participants", call.participants, &check)
        }
    }

    /// Whoever wrote or called, which is the user when it is outgoing.
    private static func initiator(
        _ field: StaticString, _ initiator: Person?, _ direction: InteractionDirection, _ check: inout FieldCheck
    ) {
        if let initiator {
            person(field, initiator, &check)
        } else if direction == .incoming {
            check.refuse(.fieldMissing, "an incoming interaction needs its \(field)")
        }
    }

    private static func people(_ field: StaticString, _ people: [Person], _ check: inout FieldCheck) {
        check.count(field, people.count)
        for one in people { person(field, one, &check) }
    }

    private static func person(_ field: StaticString, _ person: Person, _ check: inout FieldCheck) {
        check.required(field, person.handle, limit: EventLimits.personBytes)
        check.text(field, person.displayName)
        check.text(field, person.avatar)
    }

    static func deletion(_ body: InteractionDeleted, _ check: inout FieldCheck) {
        switch body {
        case .ids(let ids):
            if ids.isEmpty { check.refuse(.fieldMissing, "ids is empty") }
            check.count("ids", ids.count)
            for id in ids { check.identifier("ids", id) }
        case .conversation(let id): check.identifier("conversationID", id)
        case .all: break
        }
    }

    /// Rule N1.
    static func categories(_ body: CategoriesRegistered, _ check: inout FieldCheck) {
        check.count("categories", body.categories.count)
        for category in body.categories {
            check.identifier("categories.id", category.id)
            check.text("hiddenPreviewsPlaceholder", category.hiddenPreviewsPlaceholder)
            actions(category.actions, &check)
        }
        if Set(body.categories.map { ByteText($0.id) }).count != body.categories.count {
            check.refuse(.fieldInvalid, "two categories have the same id")
        }
    }

    private static func actions(_ actions: [NotificationAction], _ check: inout FieldCheck) {
        if actions.count > EventLimits.actionsPerCategory {
            check.refuse(
                .tooManyActions, "a category has at most \(EventLimits.actionsPerCategory) actions")
        }
        for action in actions {
            check.identifier("actions.id", action.id)
            check.required("actions.title", action.title)
            check.text("actions.icon", action.icon)
        }
        if Set(actions.map { ByteText($0.id) }).count != actions.count {
            check.refuse(.duplicateAction, "two actions of a category have the same id")
        }
    }

    static func action(_ body: NotificationActionPerformed, _ check: inout FieldCheck) {
        check.identifier("id", body.notificationID)
        switch body.gesture {
        case .action(let id): check.identifier("action", id)
        case .doubleTap: break
        }
        check.text("text", body.text, limit: EventLimits.bodyBytes)
    }
}
