import FocusCore
import Foundation

/// A value in a property list that no preference can have.
struct PropertyListProblem: Error, CustomStringConvertible {
    let description: String
}

extension PropertyValue {
    /// A value as `PropertyListSerialization` reads it (rule D2).
    init(propertyList object: Any) throws(PropertyListProblem) {
        switch object {
        // First, because a cast to a Swift type would take 1 for true, and true for 1.0.
        case let number as NSNumber: try self.init(number)
        case let text as String: self = .string(text)
        case let date as Date: self = .date(try Self.timestamp(date))
        case let data as Data: self = .data([UInt8](data))
        case let array as NSArray:
            var values: [PropertyValue] = []
            for element in array { values.append(try PropertyValue(propertyList: element)) }
            self = .array(values)
        case let dictionary as NSDictionary: self = .dictionary(try Self.entries(dictionary))
        default: throw PropertyListProblem(description: "has a type that property lists of settings do not have")
        }
    }

    private init(_ number: NSNumber) throws(PropertyListProblem) {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): self = .bool(number.boolValue)
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): self = .real(number.doubleValue)
        case CChar(UInt8(ascii: "Q")) where number.uint64Value > UInt64(Int64.max):
            throw PropertyListProblem(description: "has an integer beyond 64 signed bits")
        default: self = .integer(number.int64Value)
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

    private static func entries(_ dictionary: NSDictionary) throws(PropertyListProblem) -> PropertyDictionary {
        var entries: [PropertyDictionary.Entry] = []
        for (key, value) in dictionary {
            guard let key = key as? String else {
                throw PropertyListProblem(description: "has a dictionary with a key that is no string")
            }
            entries.append(PropertyDictionary.Entry(key, try PropertyValue(propertyList: value)))
        }
        guard let result = PropertyDictionary(entries) else {
            throw PropertyListProblem(description: "has a dictionary with a key twice")
        }
        return result
    }
}
