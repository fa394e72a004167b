import FocusCore
import FocusSyncClient

// The code of Schema/APPLE.md, word for word and in its order; `AppleExampleTests` compares the two.

func registerApp(_ system: SyncClient, app: AppID) async throws {
    let registration = AppRegistered(
        name: "Chat", build: 42, declaredIntents: [.sendMessage, .startCall],
        capabilities: [.communication, .timeSensitive, .siriKit],
        focusStatusUsageDescription: "Tells your contacts when you are busy.")
    try await system.append(.appRegistered(registration), app: app)
}

func recordAnswers(_ system: SyncClient, app: AppID) async throws {
    for kind in [AuthorizationKind.notifications, .focusStatus] {
        let answer = AuthorizationChanged(kind: kind, status: .authorized)
        try await system.append(.authorizationChanged(answer), app: app)
    }
}

func isFocused(_ client: SyncClient, app: AppID) async throws -> Bool? {
    try await client.focus.isFocused(seenFrom: app)
}

func handleSharedStatus(_ client: SyncClient, app: AppID, isFocused: Bool?) async throws {
    try await client.focus.report(isFocused: isFocused, to: app)
}

func shareStatus(_ client: SyncClient, app: AppID, with contacts: Set<UserID>) async throws {
    try await client.communication.share(with: contacts, in: app)
}

func showStatuses(_ client: SyncClient, of contacts: Set<UserID>, show: (UserID, Bool?) -> Void) async throws {
    for await statuses in try await client.watch(contacts) {
        for status in statuses { show(status.user, status.isFocused) }
    }
}

func offerNotifyAnyway(_ client: SyncClient, to anna: UserID) async throws -> Bool {
    guard try await client.reach(anna, isCommunication: true) != .ringsNow else { return false }
    return try await client.reach(anna, level: .timeSensitive) == .ringsNow
}

func donateMessage(_ client: SyncClient, app: AppID, to anna: Person) async throws {
    let message = SendMessage(conversationID: "trip", groupName: "Trip", recipients: [anna])
    let interaction = InteractionDonated(
        interactionID: "m1", direction: .outgoing, intent: .sendMessage(message), startedAt: .now)
    try await client.communication.donate(interaction, of: app)
}

func donateCall(_ client: SyncClient, app: AppID, to anna: Person) async throws {
    let call = StartCall(kind: .video, participants: [anna])
    let interaction = InteractionDonated(
        interactionID: "c1", direction: .outgoing, intent: .startCall(call), startedAt: .now)
    try await client.communication.donate(interaction, of: app)
}

func postMessage(_ client: SyncClient, app: AppID, from anna: Person) async throws {
    let message = SendMessage(conversationID: "trip", groupName: "Trip", sender: anna)
    let interaction = InteractionDonated(
        interactionID: "m2", direction: .incoming, intent: .sendMessage(message), startedAt: .now)
    let notification = NotificationPosted(notificationID: "m2", category: "message", body: "At half past six?")
    try await client.communication.post(notification, about: interaction, to: app)
}

func postTimeSensitive(_ client: SyncClient, app: AppID) async throws {
    let notification = NotificationPosted(
        notificationID: "parcel", thread: "parcels", title: "Parcel", body: "It is at the door.", level: .timeSensitive,
        relevance: 0.8)
    try await client.notifications.post(notification, to: app)
}

func registerCategories(_ client: SyncClient, app: AppID) async throws {
    let reply = NotificationAction(id: "reply", title: "Reply", textInput: true, needsUnlock: true)
    let delete = NotificationAction(id: "delete", title: "Delete", destructive: true)
    let message = NotificationCategory(id: "message", hiddenPreviewsPlaceholder: "Message", actions: [reply, delete])
    try await client.actions.register([message], of: app)
}

func performReply(_ system: SyncClient, app: AppID) async throws {
    try await system.actions.perform(.action("reply"), on: "m2", of: app, text: "Yes!")
}

func takeUpResponses(_ client: SyncClient, app: AppID, act: (WaitingActionRow) -> Void) async throws {
    for waiting in try await client.actions.waiting(for: app) {
        let handled = EventDraft(.actionHandled(ActionHandled(id: waiting.id)), app: app)
        let outcomes = try await client.append([handled])
        if outcomes.allSatisfy(\.isAccepted) { act(waiting.content) }
    }
}

func tidyUp(_ client: SyncClient, app: AppID) async throws {
    try await client.notifications.remove(["parcel"], of: app)
    try await client.notifications.markRead(["m2"], of: app)
    try await client.notifications.clearBadge(of: app)
}

func hidePreviewsOnWatches(_ system: SyncClient, app: AppID) async throws {
    try await system.settings.change(NotificationSettingsChanged(deviceClass: .watch, previews: .never), of: app)
}

func allowsTimeSensitive(_ client: SyncClient, app: AppID) async throws -> Bool {
    try await client.settings.settings(of: app)?.effective[.phone].timeSensitive ?? true
}

func registerDefaults(_ client: SyncClient, app: AppID, bundle: String) async throws {
    let defaults = try SettingsBundle(directory: bundle).dictionary
    try await client.preferences(of: app).register(defaults, build: 42)
}

func chooseColor(_ client: SyncClient, app: AppID) async throws -> Int {
    let preferences = client.preferences(of: app)
    try await preferences.set(2, for: "backgroundColorValue")
    return try await preferences["backgroundColorValue", default: 0]
}

func followDefaultColor(_ client: SyncClient, app: AppID) async throws {
    try await client.preferences(of: app).reset("backgroundColorValue")
}

func observeColor(_ client: SyncClient, app: AppID, show: (PropertyValue?) -> Void) async throws {
    let color = RowKey(.preferences, app: app, key: "backgroundColorValue")
    for await batch in try await client.changes(of: .preferences) {
        for row in batch.rows where row.key == color {
            show(try row.value.map { try PreferenceRow(decoding: $0).value })
        }
    }
}

func recordRoutePermissions(_ system: SyncClient, app: AppID) async throws {
    for kind in [AuthorizationKind.location, .shareWorkouts, .shareRoutes, .readWorkouts, .readRoutes] {
        let answer = AuthorizationChanged(kind: kind, status: .authorized)
        try await system.append(.authorizationChanged(answer), app: app)
    }
}

func recordRoute(_ client: SyncClient, app: AppID, locations: [RoutePoint]) async throws {
    guard let first = locations.first, let last = locations.last else { return }
    let route = try await client.route(of: app).start("running", utcOffsetSeconds: 7_200)
    try await route.insert(locations)
    let workout = WorkoutSaved(workoutID: "w1", activity: "running", start: first.time, end: last.time)
    try await client.append(.workoutSaved(workout), app: app)
    try await route.finish(workout: "w1", metadata: ["weather": "light rain"])
}

func point(time: Timestamp, latitude: Double, longitude: Double, accuracy: Double) -> RoutePoint {
    RoutePoint(time: time, latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy)
}

func giveUpRoute(_ client: SyncClient, app: AppID) async throws {
    let route = try await client.route(of: app).start("running")
    try await route.discard()
}

func readRoute(_ client: SyncClient, id: String, app: AppID) async throws -> Double? {
    var (first, last): (Timestamp?, Timestamp?)
    for try await page in client.route.pages(of: AppItem(app, id)) {
        first = first ?? page.first?.time
        last = page.last?.time ?? last
    }
    guard let first, let last else { return nil }
    return try await client.route.speed(of: id, app: app, from: first, to: last)
}
