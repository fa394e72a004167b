import FocusCore
import Foundation

/// The types and apps of events that are read one after the other. A log holds few of either, and a string made anew
/// for each event costs more than all its numbers.
struct EventNames {
    /// How many types, and how many apps, are remembered at most.
    private static let limit = 64

    private var types: [(bytes: [UInt8], text: String)] = []
    private var apps: [(bytes: [UInt8], app: AppID?)] = []

    /// - Parameter field: the name in UTF-8.
    mutating func type(_ field: UnsafeRawBufferPointer) -> String {
        for known in types where Self.isEqual(known.bytes, field) { return known.text }
        if types.count == Self.limit { types.removeAll(keepingCapacity: true) }
        let text = String(decoding: field, as: UTF8.self)
        types.append((Array(field), text))
        return text
    }

    /// The app; nil when the name is no bundle identifier, or NULL.
    mutating func app(_ field: UnsafeRawBufferPointer?) -> AppID? {
        guard let field else { return nil }
        for known in apps where Self.isEqual(known.bytes, field) { return known.app }
        if apps.count == Self.limit { apps.removeAll(keepingCapacity: true) }
        let app = AppID(String(decoding: field, as: UTF8.self))
        apps.append((Array(field), app))
        return app
    }

    private static func isEqual(_ known: [UInt8], _ field: UnsafeRawBufferPointer) -> Bool {
        guard known.count == field.count else { return false }
        return known.withUnsafeBytes { known in
            guard let a = known.baseAddress, let b = field.baseAddress else { return known.isEmpty }
            return memcmp(a, b, known.count) == 0
        }
    }
}
