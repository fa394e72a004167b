import Foundation

/// A binary property list, as far as it says how many values it stands for. Many places may name one object, so a few
/// hundred bytes may stand for more values than memory holds; Foundation makes each of them.
struct BinaryPropertyList {
    /// Deeper than any list of settings. It bounds the recursion here and in Foundation.
    private static let depthLimit = 512
    private static let trailerBytes = 32

    private let bytes: [UInt8]
    private let referenceBytes: Int
    /// Where each object begins.
    private let offsets: [Int]
    private let top: Int

    /// Nil when the data is no binary property list, or its tables are broken.
    init?(_ data: Data) {
        bytes = [UInt8](data)
        guard data.starts(with: Array("bplist".utf8)), bytes.count > Self.trailerBytes else { return nil }
        let trailer = bytes.count - Self.trailerBytes
        let offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
            let count = Self.integer(bytes, at: trailer + 8, count: 8), (1...bytes.count).contains(count),
            let top = Self.integer(bytes, at: trailer + 16, count: 8), (0..<count).contains(top),
            let table = Self.integer(bytes, at: trailer + 24, count: 8), (0..<bytes.count).contains(table),
            count * offsetBytes <= bytes.count - table
        else { return nil }
        self.top = top
        var offsets: [Int] = []
        for number in 0..<count {
            guard let offset = Self.integer(bytes, at: table + number * offsetBytes, count: offsetBytes),
                (0..<bytes.count).contains(offset)
            else { return nil }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    /// Whether it stands for more values than it has bytes, or has objects in each other without an end. Whatever
    /// software writes names each array and each dictionary once, and a reference takes a byte.
    var isBomb: Bool {
        var counts: [Int: Int] = [:]
        return count(of: top, depth: 0, &counts) == nil
    }

    /// How many values the object stands for; nil for more than there are bytes, or too deep.
    private func count(of object: Int, depth: Int, _ counts: inout [Int: Int]) -> Int? {
        if let known = counts[object] { return known }
        guard depth < Self.depthLimit else { return nil }
        var total = 1
        for child in children(of: object) {
            guard let count = count(of: child, depth: depth + 1, &counts) else { return nil }
            total += count
            guard total <= bytes.count else { return nil }
        }
        counts[object] = total
        return total
    }

    /// The objects in an array, a set or a dictionary. None of another object, and of one that is cut off: Foundation
    /// refuses that.
    private func children(of object: Int) -> [Int] {
        var position = offsets[object]
        let (kind, low) = (bytes[position] >> 4, bytes[position] & 0xF)
        position += 1
        guard [0xA, 0xC, 0xD].contains(kind) else { return [] }
        var count = Int(low)
        if low == 0xF {
            guard position < bytes.count, bytes[position] >> 4 == 1, bytes[position] & 0xF <= 3 else { return [] }
            let length = 1 << Int(bytes[position] & 0xF)
            guard let long = Self.integer(bytes, at: position + 1, count: length) else { return [] }
            (count, position) = (long, position + 1 + length)
        }
        // A dictionary names its keys, then its values.
        guard count <= bytes.count else { return [] }
        if kind == 0xD { count *= 2 }
        guard count * referenceBytes <= bytes.count - position else { return [] }
        return (0..<count).compactMap { number in
            Self.integer(bytes, at: position + number * referenceBytes, count: referenceBytes).flatMap {
                offsets.indices.contains($0) ? $0 : nil
            }
        }
    }

    /// A number, highest byte first; nil when it lies outside of the bytes, or is larger than `Int`.
    private static func integer(_ bytes: [UInt8], at position: Int, count: Int) -> Int? {
        guard position >= 0, count <= 8, position <= bytes.count - count else { return nil }
        return Int(exactly: bytes[position..<position + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
