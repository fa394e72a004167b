/// libFuzzer's input as a list of records: a length of two bytes, little-endian, then that many bytes; the last record
/// may be cut off. All targets take such lists, so that one mutator (`FuzzMutator`) keeps them well formed.
struct FuzzInput {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    mutating func next() -> FuzzRecord? {
        guard rest.count >= 2 else { return nil }
        let count = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
        let record = FuzzRecord(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        return record
    }

    static func bytes(_ records: [[UInt8]], limit: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records where record.count <= 0xFFFF && bytes.count + 2 + record.count <= limit {
            bytes += [UInt8(record.count & 0xFF), UInt8(record.count >> 8)] + record
        }
        return bytes
    }
}

/// The bytes of a record, read from the front; past the end every byte is zero.
struct FuzzRecord {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Two bytes, little-endian.
    mutating func short() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// The bytes not read yet.
    var bytes: [UInt8] { Array(rest) }
}

/// An assertion that also holds in release builds, unlike `assert`, and gives its reason there, unlike `precondition`.
func check(_ isTrue: Bool, _ what: @autoclosure () -> String) {
    if !isTrue { broken(what()) }
}

/// Ends the process; libFuzzer keeps the input.
func broken(_ what: String) -> Never { fatalError("fuzz: \(what)") }
