import Foundation

/// Takes a JSON object apart into the bytes of its members' values, so that a value reaches its own decoder as it was
/// written: no number is rounded on the way.
public enum JSONObjectSlices {
    /// One name and value of the object.
    public struct Member: Sendable {
        public var name: String
        /// A JSON value, as it was written.
        public var value: ArraySlice<UInt8>
    }

    /// The members, in their order. Their values are not examined.
    /// - Throws: `PayloadError` when `json` is no object, or has a name twice.
    public static func members(of json: [UInt8]) throws(PayloadError) -> [Member] {
        var scanner = Scanner(json)
        return try scanner.object()
    }

    /// Finds where values end. Whether they are valid JSON is for their decoders to judge.
    private struct Scanner {
        private let json: [UInt8]
        private var position = 0

        init(_ json: [UInt8]) { self.json = json }

        mutating func object() throws(PayloadError) -> [Member] {
            try expect("{")
            var members: [Member] = []
            while true {
                skipSpace()
                if members.isEmpty, peek("}") { break }
                let member = try member()
                guard !members.contains(where: { $0.name == member.name }) else {
                    throw .malformed("\"\(member.name)\" is there twice.")
                }
                members.append(member)
                skipSpace()
                if peek("}") { break }
                try expect(",")
            }
            position += 1
            skipSpace()
            guard position == json.count else { throw .malformed("Something follows the JSON object.") }
            return members
        }

        private mutating func member() throws(PayloadError) -> Member {
            let start = position
            try string()
            let name: String
            do {
                name = try JSONDecoder().decode(String.self, from: Data(json[start..<position]))
            } catch {
                throw .malformed("A name of the JSON object is no string.")
            }
            skipSpace()
            try expect(":")
            skipSpace()
            return Member(name: name, value: try value())
        }

        private mutating func value() throws(PayloadError) -> ArraySlice<UInt8> {
            let start = position
            var depth = 0
            while position < json.count {
                switch json[position] {
                case UInt8(ascii: "\""): try string()
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    position += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return try nonempty(start) }
                    depth -= 1
                    position += 1
                case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
                    UInt8(ascii: "\n"):
                    if depth == 0 { return try nonempty(start) }
                    position += 1
                default: position += 1
                }
                if depth == 0, let first = json[start...].first, Self.closes(first) { return json[start..<position] }
            }
            throw .malformed("The JSON object does not end.")
        }

        /// Whether a value that begins so also ends itself, as strings, objects and arrays do; numbers and words end
        /// where the next delimiter begins.
        private static func closes(_ first: UInt8) -> Bool {
            first == UInt8(ascii: "\"") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        }

        private func nonempty(_ start: Int) throws(PayloadError) -> ArraySlice<UInt8> {
            guard position > start else { throw .malformed("A value is missing.") }
            return json[start..<position]
        }

        private mutating func string() throws(PayloadError) {
            try expect("\"")
            while position < json.count {
                let byte = json[position]
                position += byte == UInt8(ascii: "\\") ? 2 : 1
                if byte == UInt8(ascii: "\"") { return }
            }
            throw .malformed("A string does not end.")
        }

        private mutating func skipSpace() {
            while position < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[position]) { position += 1 }
        }

        private func peek(_ character: Unicode.Scalar) -> Bool {
            position < json.count && json[position] == UInt8(ascii: character)
        }

        private mutating func expect(_ character: Unicode.Scalar) throws(PayloadError) {
            guard peek(character) else {
                throw .malformed("Not a JSON object: \(character) expected at byte \(position + 1).")
            }
            position += 1
        }
    }
}
