import FocusCore

/// The proto3 JSON of the payloads that make up nearly all of a log, from their bytes in one pass: no message is made
/// and none is visited. It is what the generated code writes, byte by byte; tests compare.
///
/// A payload in plain form has its fields in ascending order, each but repeated ones once, and leaves out defaults, as
/// every serializer writes them. Any other is `Unusual` and left to the generated code, and so are the rarer types.
struct JSONTranscoder {
    /// Appends the payload as JSON; false, and nothing, when it is of another type or not in plain form.
    static func append(_ type: EventType, _ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
        guard let fields = fields(of: type) else { return false }
        let start = output.count
        do throws(Unusual) {
            try object(fields, payload, to: &output)
            return true
        } catch {
            output.removeSubrange(start...)
            return false
        }
    }

    private enum Kind: Sendable {
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

    private struct Field: Sendable {
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

    private static func fields(of type: EventType) -> [Field]? {
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

    private static func object(
        _ fields: [Field], _ message: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(Unusual) {
        output.append(UInt8(ascii: "{"))
        var reader = FieldReader(message)
        var next = 0
        var isFirst = true
        while !reader.isAtEnd {
            let tag = try reader.tag()
            while next < fields.count, fields[next].tag != tag { next += 1 }
            guard next < fields.count else { throw Unusual() }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            fields[next].name.withUTF8Buffer { output.append(contentsOf: $0) }
            try value(fields[next], &reader, to: &output)
            next += 1
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func value(
        _ field: Field, _ reader: inout FieldReader, to output: inout [UInt8]
    ) throws(Unusual) {
        switch field.kind {
        case .string(let isOptional):
            let text = try reader.delimited()
            guard isOptional || !text.isEmpty else { throw Unusual() }
            try JSONStringBytes.append(text, to: &output)
        case .strings:
            try elements(field, &reader, to: &output) { text, output throws(Unusual) in
                try JSONStringBytes.append(text, to: &output)
            }
        case .messages(let fields):
            try elements(field, &reader, to: &output) { message, output throws(Unusual) in
                try object(fields, message, to: &output)
            }
        case .names(let names):
            let number = try reader.varint()
            guard (1...UInt64(names.count)).contains(number) else { throw Unusual() }
            names[Int(number) - 1].withUTF8Buffer { output.append(contentsOf: $0) }
        case .bool:
            guard try reader.bool() else { throw Unusual() }
            output.append(contentsOf: "true".utf8)
        case .double(let isOptional):
            let number = try reader.double()
            guard isOptional || number.bitPattern != 0, number.isFinite else { throw Unusual() }
            output.append(contentsOf: number.debugDescription.utf8)
        case .int64(let isOptional):
            let number = try reader.int()
            guard isOptional || number != 0 else { throw Unusual() }
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: String(number).utf8)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// The array of a repeated field whose first tag was read.
    private static func elements(
        _ field: Field, _ reader: inout FieldReader, to output: inout [UInt8],
        _ append: (UnsafeRawBufferPointer, inout [UInt8]) throws(Unusual) -> Void
    ) throws(Unusual) {
        output.append(UInt8(ascii: "["))
        try append(reader.delimited(), &output)
        while reader.skip(field.tag) {
            output.append(UInt8(ascii: ","))
            try append(reader.delimited(), &output)
        }
        output.append(UInt8(ascii: "]"))
    }
}
