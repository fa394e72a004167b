import FocusCore

// What the transcoder knows of messages. Names and numbers are those of Schema/proto/focus/events/v1.

extension JSONTranscoder {
    enum Kind: Sendable {
        /// `isOptional`: written also when empty.
        case string(isOptional: Bool)
        case strings
        /// The names of the numbers from 1 on, with their quotes; other numbers are `Unusual`.
        case names([StaticString])
        case bool
        /// `isOptional`: written also when its bits are zero.
        case double(isOptional: Bool)
        case int64(isOptional: Bool)
        case messages([Field])
    }

    /// A field of a message.
    struct Field: Sendable {
        /// Field number × 8 + wire type.
        let tag: UInt8
        /// The name with its quotes and colon.
        let name: StaticString
        let kind: Kind
    }

    private static let levels: [StaticString] = [#""PASSIVE""#, #""ACTIVE""#, #""TIME_SENSITIVE""#, #""CRITICAL""#]
    private static let posted = [
        Field(tag: 1 << 3 | 2, name: #""notificationId":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3 | 2, name: #""category":"#, kind: .string(isOptional: true)),
        Field(tag: 3 << 3 | 2, name: #""thread":"#, kind: .string(isOptional: true)),
        Field(tag: 4 << 3 | 2, name: #""title":"#, kind: .string(isOptional: true)),
        Field(tag: 5 << 3 | 2, name: #""subtitle":"#, kind: .string(isOptional: true)),
        Field(tag: 6 << 3 | 2, name: #""body":"#, kind: .string(isOptional: false)),
        Field(tag: 7 << 3, name: #""level":"#, kind: .names(levels)),
        Field(tag: 8 << 3 | 1, name: #""relevance":"#, kind: .double(isOptional: false)),
        Field(tag: 9 << 3, name: #""marketing":"#, kind: .bool),
        Field(tag: 10 << 3 | 2, name: #""interactionId":"#, kind: .string(isOptional: true)),
        Field(tag: 11 << 3, name: #""eventAtUs":"#, kind: .int64(isOptional: true)),
        Field(tag: 12 << 3 | 2, name: #""sound":"#, kind: .string(isOptional: true)),
    ]
    private static let ids = [Field(tag: 1 << 3 | 2, name: #""ids":"#, kind: .strings)]
    private static let point = [
        Field(tag: 1 << 3, name: #""timeUs":"#, kind: .int64(isOptional: false)),
        Field(tag: 2 << 3 | 1, name: #""latitude":"#, kind: .double(isOptional: false)),
        Field(tag: 3 << 3 | 1, name: #""longitude":"#, kind: .double(isOptional: false)),
        Field(tag: 4 << 3 | 1, name: #""altitude":"#, kind: .double(isOptional: false)),
        Field(tag: 5 << 3 | 1, name: #""horizontalAccuracy":"#, kind: .double(isOptional: false)),
        Field(tag: 6 << 3 | 1, name: #""verticalAccuracy":"#, kind: .double(isOptional: true)),
        Field(tag: 7 << 3 | 1, name: #""speed":"#, kind: .double(isOptional: true)),
        Field(tag: 8 << 3 | 1, name: #""course":"#, kind: .double(isOptional: true)),
    ]
    private static let locations = [
        Field(tag: 1 << 3 | 2, name: #""routeId":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3 | 2, name: #""points":"#, kind: .messages(point)),
    ]

    private static let focusChanged = [
        Field(tag: 1 << 3 | 2, name: #""focusId":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3, name: #""isActive":"#, kind: .bool),
        Field(tag: 3 << 3, name: #""endsAtUs":"#, kind: .int64(isOptional: true)),
    ]
    private static let focusConfigured = [
        Field(tag: 1 << 3 | 2, name: #""focusId":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3 | 2, name: #""name":"#, kind: .string(isOptional: false)),
        Field(tag: 3 << 3 | 2, name: #""symbol":"#, kind: .string(isOptional: true)),
        Field(tag: 4 << 3 | 2, name: #""allowedApps":"#, kind: .strings),
        Field(tag: 5 << 3 | 2, name: #""allowedPeople":"#, kind: .strings),
        Field(tag: 6 << 3, name: #""allowsTimeSensitive":"#, kind: .bool),
        Field(tag: 7 << 3, name: #""sharesStatus":"#, kind: .bool),
    ]
    private static let authorizationKinds: [StaticString] = [
        #""NOTIFICATIONS""#, #""FOCUS_STATUS""#, #""LOCATION""#, #""SHARE_WORKOUTS""#, #""SHARE_ROUTES""#,
        #""READ_WORKOUTS""#, #""READ_ROUTES""#, #""MARKETING""#,
    ]
    private static let authorizationStatuses: [StaticString] = [
        #""NOT_DETERMINED""#, #""DENIED""#, #""AUTHORIZED""#, #""RESTRICTED""#, #""PROVISIONAL""#,
        #""NOT_SUPPORTED""#,
    ]
    private static let authorizationChanged = [
        Field(tag: 1 << 3, name: #""kind":"#, kind: .names(authorizationKinds)),
        Field(tag: 2 << 3, name: #""status":"#, kind: .names(authorizationStatuses)),
    ]
    private static let actionPerformed = [
        Field(tag: 1 << 3 | 2, name: #""id":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3 | 2, name: #""action":"#, kind: .string(isOptional: true)),
        Field(tag: 3 << 3, name: #""doubleTap":"#, kind: .bool),
        Field(tag: 4 << 3 | 2, name: #""text":"#, kind: .string(isOptional: true)),
    ]
    private static let refused = [
        Field(tag: 1 << 3 | 2, name: #""type":"#, kind: .string(isOptional: false)),
        Field(tag: 2 << 3 | 2, name: #""code":"#, kind: .string(isOptional: false)),
        Field(tag: 3 << 3 | 2, name: #""message":"#, kind: .string(isOptional: false)),
    ]

    /// The fields of a type's payload, in ascending order; nil when it is left to the generated code.
    static func fields(of type: EventType) -> [Field]? {
        switch type {
        case .notificationPosted: posted
        case .focusChanged: focusChanged
        case .focusConfigured: focusConfigured
        case .authorizationChanged: authorizationChanged
        case .notificationActionPerformed: actionPerformed
        case .eventRefused: refused
        case .notificationRead, .notificationRemoved: ids
        case .badgeCleared: []
        case .routeLocationsInserted: locations
        default: nil
        }
    }
}
