import FocusCore
import Foundation

/// Turns what Foundation read of a property list into a value (rule D2). In a binary property list many places may name
/// one object, so a few hundred bytes may stand for millions of values: they are counted as they are written out.
struct PropertyListReader {
    /// Bytes of one value: an event with a larger one is refused (rule E5).
    private static let byteLimit = EventLimits.payloadBytes
    /// More than any preference may have.
    private static let depthLimit = 100

    private var bytes = 0

    mutating func value(_ object: Any, depth: Int = 0) throws(PropertyListProblem) -> PropertyValue {
        guard depth <= Self.depthLimit else {
            throw PropertyListProblem(
                description: "has more than \(Self.depthLimit) arrays or dictionaries in each other")
        }
        switch object {
        // First, because a cast to a Swift type would take 1 for true, and true for 1.0.
        case let number as NSNumber:
            try count(1)
            return try Self.value(number)
        case let text as String:
            try count(text.utf8.count)
            return .string(text)
        case let date as Date:
            try count(1)
            return .date(try Self.timestamp(date))
        case let data as Data:
            try count(data.count)
            return .data([UInt8](data))
        case let array as NSArray:
            try count(1)
            var values: [PropertyValue] = []
            for element in array { values.append(try value(element, depth: depth + 1)) }
            return .array(values)
        case let dictionary as NSDictionary:
            try count(1)
            return .dictionary(try entries(dictionary, depth: depth + 1))
        default: throw PropertyListProblem(description: "has a type that property lists of settings do not have")
        }
    }

    /// Counts a value that takes so many bytes of an event; each takes one at least.
    private mutating func count(_ count: Int) throws(PropertyListProblem) {
        bytes += max(1, count)
        guard bytes <= Self.byteLimit else {
            throw PropertyListProblem(description: "has more than \(Self.byteLimit) bytes")
        }
    }

    private static func value(_ number: NSNumber) throws(PropertyListProblem) -> PropertyValue {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): return .bool(number.boolValue)
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return .real(number.doubleValue)
        case CChar(UInt8(ascii: "Q")) where number.uint64Value > UInt64(Int64.max):
            throw PropertyListProblem(description: "has an integer beyond 64 signed bits")
        default: return .integer(number.int64Value)
        }
    }

    private static func timestamp(_ date: Date) throws(PropertyListProblem) -> Timestamp {
        // Property lists count seconds from 2001: from there, a whole number of seconds stays one.
        let microseconds = (date.timeIntervalSinceReferenceDate * 1e6).rounded()
        guard let exact = Int64(exactly: microseconds) else {
            throw PropertyListProblem(description: "has a date beyond all calendars")
        }
        return Timestamp(microseconds: 978_307_200_000_000).adding(microseconds: exact)
    }

    private mutating func entries(
        _ dictionary: NSDictionary, depth: Int
    ) throws(PropertyListProblem) -> PropertyDictionary {
        var entries: [PropertyDictionary.Entry] = []
        for (key, object) in dictionary {
            guard let key = key as? String else {
                throw PropertyListProblem(description: "has a dictionary with a key that is no string")
            }
            try count(key.utf8.count)
            entries.append(PropertyDictionary.Entry(key, try value(object, depth: depth)))
        }
        guard let result = PropertyDictionary(entries) else {
            throw PropertyListProblem(description: "has a dictionary with a key twice")
        }
        return result
    }
}

/// A value in a property list that no preference can have.
struct PropertyListProblem: Error, CustomStringConvertible {
    let description: String
}
