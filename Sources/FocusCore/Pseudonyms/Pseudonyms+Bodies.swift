extension Pseudonyms {
    /// The body with pseudonyms for all users, devices and people that it names.
    public func hiding(_ body: EventBody) -> EventBody {
        switch body {
        case .focusConfigured(var focus):
            focus.allowedPeople = Set(focus.allowedPeople.map { ByteText(person($0.text)) })
            return .focusConfigured(focus)
        case .notificationPosted(let post): return .notificationPosted(hiding(post))
        case .governmentAlertPosted(var alert):
            alert.post = hiding(alert.post)
            return .governmentAlertPosted(alert)
        case .focusExpired(var expired):
            expired.activation = hiding(expired.activation)
            return .focusExpired(expired)
        case .summaryDelivered(var summary):
            summary.schedule = hiding(summary.schedule)
            return .summaryDelivered(summary)
        case .audienceChanged(var audience):
            audience.add = Set(audience.add.map(user))
            audience.remove = Set(audience.remove.map(user))
            return .audienceChanged(audience)
        case .interactionDonated(var interaction):
            interaction.intent = hiding(interaction.intent)
            return .interactionDonated(interaction)
        case .interactionDeleted(.conversation(let id)): return .interactionDeleted(.conversation(conversation(id)))
        case .deviceRevoked(var revoked):
            revoked.device = device(revoked.device)
            return .deviceRevoked(revoked)
        case .deviceIncarnationBegan(var began):
            began.device = device(began.device)
            return .deviceIncarnationBegan(began)
        case .deviceIncarnationEnded(var ended):
            ended.device = device(ended.device)
            return .deviceIncarnationEnded(ended)
        case .deviceActivity(var activity):
            activity.device = device(activity.device)
            return .deviceActivity(activity)
        case .deviceActivityEnded(var ended):
            ended.device = device(ended.device)
            return .deviceActivityEnded(ended)
        case .projectionRebuilt(var rebuilt):
            rebuilt.rows = rebuilt.rows.map(hiding)
            return .projectionRebuilt(rebuilt)
        default: return body
        }
    }

    /// Apps group the notifications of a conversation by its id.
    private func hiding(_ post: NotificationPosted) -> NotificationPosted {
        var post = post
        post.thread = post.thread.map(conversation)
        return post
    }

    private func hiding(_ stamp: Stamp) -> Stamp {
        Stamp(time: stamp.time, device: device(stamp.device), sequence: stamp.sequence, isOfApp: stamp.isOfApp)
    }

    private func hiding(_ intent: InteractionIntent) -> InteractionIntent {
        switch intent {
        case .sendMessage(var message):
            message.conversationID = conversation(message.conversationID)
            message.groupName = nil
            message.sender = message.sender.map(hiding)
            message.recipients = message.recipients.map(hiding)
            return .sendMessage(message)
        case .startCall(var call):
            call.caller = call.caller.map(hiding)
            call.participants = call.participants.map(hiding)
            return .startCall(call)
        }
    }

    private func hiding(_ person: Person) -> Person { Person(handle: self.person(person.handle)) }

    /// Rows of suggestions are of a person, those of the audience of a user.
    private func hiding(_ key: RowKey) -> RowKey {
        switch key.collection {
        case .suggestions: RowKey(.suggestions, app: key.app, key: person(key.key))
        case .audience:
            RowKey(.audience, app: key.app, key: UserID(text: key.key).map { user($0).description } ?? "")
        default: key
        }
    }
}
