import FocusCore
internal import SwiftProtobuf

/// Rows for people: the bytes of a row as proto3 JSON.
public enum RowJSON {
    /// One line. Equal bytes give equal text; fields this program does not know are left out.
    public static func json(_ collection: RowCollection, _ value: [UInt8]) throws(PayloadError) -> String {
        throw .malformed("rows of \(collection.rawValue) have no JSON form.")
    }
}
