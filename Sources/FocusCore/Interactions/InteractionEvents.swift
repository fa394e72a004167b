/// `interaction.donated`: a message or a call that happened (domain.md §3). Each id is a register (rule I2).
public struct InteractionDonated: Hashable, Sendable {
    /// The app's own id of the interaction.
    public var interactionID: String
    public var direction: InteractionDirection
    public var intent: InteractionIntent
    /// Decides the UTC day that it counts for (rule I3); at most 5 minutes ahead of the server.
    public var startedAt: Timestamp
    /// How long a call lasted; not negative. Recorded; no rule uses it.
    public var durationMicroseconds: Int64?

    public init(
        interactionID: String, direction: InteractionDirection, intent: InteractionIntent, startedAt: Timestamp,
        durationMicroseconds: Int64? = nil
    ) {
        self.interactionID = interactionID
        self.direction = direction
        self.intent = intent
        self.startedAt = startedAt
        self.durationMicroseconds = durationMicroseconds
    }
}

public enum InteractionDirection: Int32, Hashable, Sendable, CaseIterable {
    /// Somebody wrote to or called the user.
    case incoming = 1
    /// The user wrote or called.
    case outgoing
}

/// What kind of interaction it was; the app must have declared the kind (rule I1).
public enum InteractionIntent: Hashable, Sendable {
    case sendMessage(SendMessage)
    case startCall(StartCall)

    public var declared: DeclaredIntent {
        switch self {
        case .sendMessage: .sendMessage
        case .startCall: .startCall
        }
    }
}

public struct SendMessage: Hashable, Sendable {
    public var conversationID: String
    /// The name of a group conversation, which becomes the subtitle of its notifications (rule N5).
    public var groupName: String?
    /// Required when incoming; nil when outgoing, because the user is the sender.
    public var sender: Person?
    public var recipients: [Person]

    public init(conversationID: String, groupName: String? = nil, sender: Person? = nil, recipients: [Person] = []) {
        self.conversationID = conversationID
        self.groupName = groupName
        self.sender = sender
        self.recipients = recipients
    }
}

public struct StartCall: Hashable, Sendable {
    public var kind: CallKind
    /// Required when incoming; nil when outgoing, because the user is the caller.
    public var caller: Person?
    public var participants: [Person]

    public init(kind: CallKind, caller: Person? = nil, participants: [Person] = []) {
        self.kind = kind
        self.caller = caller
        self.participants = participants
    }
}

public enum CallKind: Int32, Hashable, Sendable, CaseIterable {
    case audio = 1
    case video
}

/// `interaction.deleted`: removes donations of the app, and their weight (rule I4).
public enum InteractionDeleted: Hashable, Sendable {
    case ids([String])
    /// Every message of the conversation donated before.
    case conversation(String)
    /// Everything the app donated before.
    case all
}
