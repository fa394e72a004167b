import FocusCore

extension Focus_Events_V1_CategoriesRegistered: PayloadMessage {
    init(_ event: CategoriesRegistered) {
        self.init()
        categories = event.categories.map { Focus_Events_V1_NotificationCategory($0) }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .categoriesRegistered(CategoriesRegistered(categories: categories.map(\.category)))
    }
}

extension Focus_Events_V1_NotificationCategory {
    init(_ category: NotificationCategory) {
        self.init()
        id = category.id
        if let text = category.hiddenPreviewsPlaceholder { hiddenPreviewsPlaceholder = text }
        actions = category.actions.map { Focus_Events_V1_NotificationAction($0) }
    }

    var category: NotificationCategory {
        NotificationCategory(
            id: id, hiddenPreviewsPlaceholder: hasHiddenPreviewsPlaceholder ? hiddenPreviewsPlaceholder : nil,
            actions: actions.map(\.action))
    }
}

extension Focus_Events_V1_NotificationAction {
    init(_ action: NotificationAction) {
        self.init()
        id = action.id
        title = action.title
        if let text = action.icon { icon = text }
        destructive = action.destructive
        opensApp = action.opensApp
        textInput = action.textInput
        needsUnlock = action.needsUnlock
    }

    var action: NotificationAction {
        NotificationAction(
            id: id, title: title, icon: hasIcon ? icon : nil, destructive: destructive, opensApp: opensApp,
            textInput: textInput, needsUnlock: needsUnlock)
    }
}

extension Focus_Events_V1_ActionHandled: PayloadMessage {
    init(_ event: ActionHandled) {
        self.init()
        if let id = event.id { action = id.description }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard hasAction else { return .actionHandled(ActionHandled(id: nil)) }
        guard let id = EventID(text: action) else { throw .malformed("action is no event's id.") }
        return .actionHandled(ActionHandled(id: id))
    }
}

extension Focus_Events_V1_NotificationActionPerformed: PayloadMessage {
    init(_ event: NotificationActionPerformed) {
        self.init()
        id = event.notificationID
        switch event.gesture {
        case .action(let name): action = name
        case .doubleTap: doubleTap = true
        }
        if let typed = event.text { text = typed }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard !(hasAction && doubleTap) else { throw .malformed("There is an action and a double_tap.") }
        return .notificationActionPerformed(
            NotificationActionPerformed(
                notificationID: id, gesture: doubleTap ? .doubleTap : .action(action), text: hasText ? text : nil))
    }
}
