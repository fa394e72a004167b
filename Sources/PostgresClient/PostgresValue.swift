import Foundation

/// A parameter, sent in binary.
///
/// The case fixes the parameter's SQL type, except for `text` and `null`, whose type the server infers from the
/// statement: so `text` also fills enum, `varchar` and `json` columns. Where nothing tells the type, write a cast.
public enum PostgresValue: Sendable {
    case null
    case bool(Bool)
    case int2(Int16)
    case int4(Int32)
    case int8(Int64)
    case float8(Double)
    case text(String)
    case bytea([UInt8])
    case uuid(UUID)
    /// The range is cut to what PostgreSQL can hold: its ends are `infinity` and `-infinity`.
    case timestamptz(microsecondsSince1970: Int64)
    case int2Array([Int16])
    case int4Array([Int32])
    case int8Array([Int64])
    case int8OptionalArray([Int64?])
    case float8Array([Double?])
    case boolArray([Bool?])
    /// `text[]`; for an enum array write `$1::text[]::my_enum[]`.
    case textArray([String?])
    case byteaArray([[UInt8]?])
    case uuidArray([UUID])
    /// Microseconds since 1970, as `timestamptz`.
    case timestamptzArray([Int64?])
}

/// `timestamptz` counts microseconds from 2000-01-01; everything else here counts from 1970.
enum PostgresEpoch {
    static let microsecondsSince1970: Int64 = 946_684_800_000_000

    static func toPostgres(_ microseconds: Int64) -> Int64 {
        // Int64.max and .min are PostgreSQL's infinities.
        if microseconds == .max { return .max }
        let (value, overflow) = microseconds.subtractingReportingOverflow(microsecondsSince1970)
        return overflow ? .min : value
    }

    static func from1970(_ microseconds: Int64) -> Int64 {
        if microseconds == .min { return .min }
        let (value, overflow) = microseconds.addingReportingOverflow(microsecondsSince1970)
        return overflow ? .max : value
    }
}
