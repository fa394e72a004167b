/// What libFuzzer gives, as a list of records: two bytes of length, little-endian, and so many bytes; the last may be
/// cut off. All targets take such lists, so that one mutator keeps them whole (`FuzzMutator`).
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

/// Bytes taken from the front; after their end everything is zero.
struct FuzzRecord {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Two bytes, little-endian.
    mutating func short() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// What is left.
    var bytes: [UInt8] { Array(rest) }
}

/// Unlike `assert` it is there in a release build too, and unlike `precondition` it says why there.
func check(_ isTrue: Bool, _ what: @autoclosure () -> String) {
    if !isTrue { broken(what()) }
}

/// Ends the run; libFuzzer keeps the input.
func broken(_ what: String) -> Never { fatalError("fuzz: \(what)") }
