import FocusCore
internal import SwiftProtobuf

/// Finds the field by which a payload cannot be read, so that its developer is told where to look.
enum PayloadFlaw {
    /// Names the outermost field that is no field of the message, or does not have its type.
    ///
    /// A prefix of whole fields can be read exactly when each of them can, so the first that cannot is found by
    /// halving: in at most 18 readings of a payload of 256 KiB.
    static func describe(_ type: EventType, _ payload: [UInt8]) -> String {
        let fields = ProtobufFields(payload)
        let canRead = { (count: Int) in
            let end = count == 0 ? 0 : fields.ends[count - 1]
            return (try? type.message.init(serializedBytes: Array(payload[..<end]), options: .lenient)) != nil
        }
        var (good, bad) = (0, fields.ends.count)
        guard !canRead(bad) else {
            return
                "The payload is not the protobuf message of \(type.rawValue): no field begins at byte \(fields.end), "
                + "or it ends before its own length."
        }
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if canRead(middle) { good = middle } else { bad = middle }
        }
        let number = fields.numbers[good]
        let name = name(of: number, in: type.message).map { "field \"\($0)\" (\(number))" } ?? "field \(number)"
        return "The payload is not the protobuf message of \(type.rawValue): \(name) has another type, or is damaged."
    }

    /// Names the outermost field of a JSON object that cannot be read; nil: none of them alone is the reason.
    static func field(_ type: EventType, json: String) -> String? {
        guard let members = try? JSONObjectSlices.members(of: Array(json.utf8)) else { return nil }
        return members.first { member in
            let object = "{\(quoted(member.name)):\(String(decoding: member.value, as: UTF8.self))}"
            return (try? type.message.init(jsonString: object)) == nil
        }?.name
    }

    /// The field's name in the `.proto` file; nil: the message has no such field.
    ///
    /// Generated code does not tell names by numbers. A message that has nothing but this field, of the type that it
    /// takes, tells its name by its JSON.
    private static func name(of number: Int, in message: any PayloadMessage.Type) -> String? {
        var options = JSONEncodingOptions()
        options.preserveProtoFieldNames = true
        for (wireType, value) in values {
            let bytes = ProtobufFields.tag(number, wireType) + value
            guard let made = try? message.init(serializedBytes: bytes, options: .lenient),
                let json = try? made.jsonString(options: options),
                let member = try? JSONObjectSlices.members(of: Array(json.utf8)).first
            else { continue }
            return member.name
        }
        return nil
    }

    /// A value of each type on the wire that is no default: numbers, texts and lists of them, messages, doubles,
    /// floats.
    private static let values: [(wireType: UInt64, value: [UInt8])] = [
        (0, [1]), (2, [1, UInt8(ascii: "a")]), (2, [0]), (1, [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]), (5, [0, 0, 0x80, 0x3F]),
    ]

    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// Where the outermost fields of a protobuf message end.
struct ProtobufFields {
    /// Their numbers, in order.
    private(set) var numbers: [Int] = []
    /// Behind each, the offset of the byte after it.
    private(set) var ends: [Int] = []
    /// Up to where the bytes are fields: their count, unless the last one is cut off or is none.
    private(set) var end = 0

    init(_ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            guard let tag = Self.varint(bytes, &position), let number = Int(exactly: tag >> 3), number > 0 else {
                return
            }
            switch tag & 7 {
            case 0: guard Self.varint(bytes, &position) != nil else { return }
            case 1: position += 8
            case 2:
                guard let length = Self.varint(bytes, &position), Int(clamping: length) <= bytes.count - position else {
                    return
                }
                position += Int(clamping: length)
            case 5: position += 4
            default: return
            }
            guard position <= bytes.count else { return }
            numbers.append(number)
            ends.append(position)
            end = position
        }
    }

    /// The bytes that begin a field.
    static func tag(_ number: Int, _ wireType: UInt64) -> [UInt8] {
        var (rest, bytes) = (UInt64(clamping: number) << 3 | wireType, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }

    private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            if shift < 64 { value |= UInt64(truncatingIfNeeded: byte & 0x7F) &<< shift }
            if byte < 0x80 { return value }
        }
        return nil
    }
}
