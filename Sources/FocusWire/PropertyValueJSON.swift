import FocusCore
internal import SwiftProtobuf

/// A preference's value as proto3 JSON, with its type: `{"integer":"3"}` (message `PropertyValue`).
public enum PropertyValueJSON {
    /// The value as one line of JSON. Equal values give equal text.
    public static func json(_ value: PropertyValue) throws(PayloadError) -> String {
        try PayloadCodec.json(Focus_Events_V1_PropertyValue(value), of: "PropertyValue")
    }

    /// The value that a proto3 JSON object means; throws when it is none.
    public static func value(_ json: String) throws(PayloadError) -> PropertyValue {
        let message: Focus_Events_V1_PropertyValue
        do {
            message = try Focus_Events_V1_PropertyValue(jsonString: json)
        } catch {
            throw .malformed("This is not the JSON of a PropertyValue, for example {\"integer\":\"3\"}.")
        }
        return try PropertyValue(message, field: "The JSON")
    }
}
