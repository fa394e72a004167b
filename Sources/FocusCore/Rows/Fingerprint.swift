/// A number that differs, most likely, when contents differ. It is no proof against anybody who wants it to be equal:
/// it only tells histories of a log apart, and digests stand behind it (rule S9). It is the same in every process, and
/// far cheaper than a hash that proves something: every event asks for it.
struct Fingerprint {
    private(set) var value: UInt64

    init(seed: UInt64) { value = seed }

    /// The finalizer of SplitMix64.
    static func mix(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    mutating func add(_ number: UInt64) {
        value = (value ^ number) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 32
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { add($0) }
        }
    }

    /// Eight bytes at a time, then the rest, then how many there were.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        add(rest)
        add(UInt64(bytes.count))
    }
}

extension RowCollection {
    /// Made of its name: the same in every program that knows the collection.
    var fingerprint: UInt64 { Self.fingerprints[Int(ordinal)] }

    private static let fingerprints: [UInt64] = allCases.map { collection in
        var print = Fingerprint(seed: 0)
        print.add(collection.rawValue.utf8)
        return print.value
    }
}
