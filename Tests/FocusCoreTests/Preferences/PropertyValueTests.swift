import SeededNumbers
import Testing

@testable import FocusCore

@Suite("PropertyValue") struct PropertyValueTests {
    static let samples: [PropertyValue] = [
        .bool(false), .bool(true), .integer(0), .integer(1), .integer(.min), .integer(.max), .real(0), .real(1),
        .real(-1.5), .real(.infinity), .real(-.infinity), .real(.nan), .real(.leastNonzeroMagnitude), .string(""),
        .string("1"), .string("\u{E9}"), .string("e\u{301}"), .date(Timestamp(microseconds: 0)),
        .date(Timestamp(microseconds: -1)), .data([]), .data([0, 255]), .array([]), .array([.bool(true)]),
        .array([.array([]), .dictionary(.empty)]), .dictionary(.empty), dictionary(("a", .integer(1))),
        dictionary(("\u{E9}", .integer(1)), ("e\u{301}", .integer(2)), ("", .data([]))),
    ]

    static func dictionary(_ entries: (String, PropertyValue)...) -> PropertyValue {
        .dictionary(PropertyDictionary(entries.map { PropertyDictionary.Entry($0.0, $0.1) }) ?? .empty)
    }

    /// A random value that is nested at most `depth` deep.
    static func random(depth: Int, using random: inout SplitMix64) -> PropertyValue {
        let text = ["", "a", "b", "\u{E9}", "e\u{301}"].randomElement(using: &random)!
        switch Int.random(in: 0..<(depth > 1 ? 8 : 6), using: &random) {
        case 0: return .bool(Bool.random(using: &random))
        case 1: return .integer(Int64.random(in: -2...2, using: &random))
        case 2: return .real([0, -0.0, 1, -1, .nan].randomElement(using: &random)!)
        case 3: return .string(text)
        case 4: return .date(Timestamp(microseconds: Int64.random(in: -2...2, using: &random)))
        case 5: return .data(Array(text.utf8))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<3, using: &random)).map { _ in Self.random(depth: depth - 1, using: &random) })
        default:
            let entry = PropertyDictionary.Entry(text, Self.random(depth: depth - 1, using: &random))
            return .dictionary(PropertyDictionary([entry, .init("z", .bool(true))]) ?? .empty)
        }
    }

    @Test("D2: every type decodes to what was encoded, and no two values are one")
    func distinct() throws {
        for (index, value) in Self.samples.enumerated() {
            let decoded = try PropertyValue(decoding: value.encoded)
            #expect(decoded == value && decoded.encoded == value.encoded && decoded.kind == value.kind)
            for other in Self.samples[..<index] { #expect(other != value, "\(other) and \(value)") }
        }
    }

    @Test("D2: 1, 1.0 and true differ")
    func types() {
        #expect(Set([PropertyValue.integer(1), .real(1), .bool(true), .string("1")]).count == 4)
    }

    @Test("D2: dictionaries have no order: the same entries in any order are the same bytes")
    func dictionaryOrder() {
        let keys = ["b", "a", "", "\u{E9}", "e\u{301}", "B", "aa"]
        let entries = keys.map { PropertyDictionary.Entry($0, .string($0)) }
        let expected = PropertyDictionary(entries)
        #expect(expected?.entries.map(\.key.utf8.first) == [nil, 0x42, 0x61, 0x61, 0x62, 0x65, 0xC3])
        var random = SplitMix64(seed: 1)
        for _ in 0..<20 { #expect(PropertyDictionary(entries.shuffled(using: &random)) == expected) }
        #expect(PropertyDictionary(entries + [.init("a", .bool(true))]) == nil)
        #expect(expected?["\u{E9}"] == .string("\u{E9}") && expected?["none"] == nil)
    }

    @Test("D2: all NaNs are one value, and so are the two zeros")
    func canonicalReals() {
        let nans = [Double.nan, -Double.nan, .signalingNaN, Double(bitPattern: 0xFFF8_0000_0000_0001)]
        for nan in nans { #expect(PropertyValue.real(nan).encoded == PropertyValue.real(.nan).encoded) }
        #expect(PropertyValue.real(-0.0).encoded == PropertyValue.real(0).encoded)
        #expect(PropertyValue.real(.nan) != .real(.infinity))
    }

    @Test("Random values survive their bytes", arguments: 1...50 as ClosedRange<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = Self.random(depth: 5, using: &random)
        #expect(try PropertyValue(decoding: value.encoded).encoded == value.encoded, "seed \(seed)")
        #expect(value.depth <= 5)
    }

    @Test("Damaged and hostile bytes throw and never trap")
    func hostile() {
        for value in Self.samples {
            let bytes = value.encoded
            for end in bytes.indices.dropLast() { _ = try? PropertyValue(decoding: Array(bytes[...end])) }
            for place in bytes.indices {
                var damaged = bytes
                damaged[place] ^= 0x55
                _ = try? PropertyValue(decoding: damaged)
            }
        }
        #expect(throws: ProtoError.self) { try PropertyValue(decoding: []) }
        var deep = PropertyValue.bool(true)
        for _ in 0..<2_000 { deep = .array([deep]) }
        #expect(throws: ProtoError.malformed) { try PropertyValue(decoding: deep.encoded) }
        let twice = PropertyValueTests.dictionary(("a", .bool(true))).encoded
        var writer = ProtoWriter()
        writer.presentData(8, Array(twice.dropFirst(2)) + Array(twice.dropFirst(2)))
        #expect(throws: ProtoError.unexpected) { try PropertyValue(decoding: writer.bytes) }
    }

    @Test("depth counts the values one inside the other")
    func depth() {
        #expect(PropertyValue.bool(true).depth == 1 && PropertyValue.array([]).depth == 1)
        #expect(PropertyValue.array([.bool(true), .array([.bool(true)])]).depth == 3)
        #expect(Self.dictionary(("a", .array([.integer(1)]))).depth == 3)
    }

    @Test("Plain JSON tells integers from reals, and is JSON whatever the value")
    func json() {
        let value = Self.dictionary(
            ("a", .array([.integer(1), .real(1), .bool(true), .real(-0.0), .real(.nan), .real(-.infinity)])),
            ("b", .string("\"\\\n\u{0}é")), ("c", .date(Timestamp(microseconds: 5))), ("d", .real(1e300)))
        #expect(
            value.json == #"{"a":[1,1.0,true,0.0,"NaN","-inf"],"b":"\"\\\u000a"# + "\u{FFFD}é" + #"","c":5,"d":1e+300}"#
        )
        for (bytes, text) in [([], ""), ([0], "AA=="), ([0, 255], "AP8="), ([0, 255, 16], "AP8Q")]
            as [([UInt8], String)]
        {
            #expect(PropertyValue.data(bytes).json == "\"\(text)\"")
        }
    }
}
