/// Names a row within a user's state.
public struct RowKey: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let collection: RowCollection
    /// Nil for rows of the user. For `refusals`, the app of the scope that appended the event.
    public let app: AppID?
    /// What tells it from other rows of the collection and app.
    let id: ByteText

    public var key: String { id.text }

    public init(_ collection: RowCollection, app: AppID? = nil, key: String = "") {
        self.init(collection, app: app, id: key.isEmpty ? .empty : ByteText(key))
    }

    init(_ collection: RowCollection, app: AppID?, id: ByteText) {
        self.collection = collection
        self.app = app
        self.id = id
    }

    /// Names the collection and the app, not the row: a key may be a person's handle or the id of a message, and texts
    /// of errors go into logs.
    public var description: String { app.map { "\(collection.rawValue) of \($0)" } ?? collection.rawValue }

    // Keys are compared by bytes, as the tables and other programs do (see `ByteText`), so that one key is never two.
    public static func < (a: Self, b: Self) -> Bool {
        if a.collection != b.collection { return a.collection < b.collection }
        let order = ByteText.compare(a.app?.rawValue ?? "", b.app?.rawValue ?? "")
        return order == 0 ? a.id < b.id : order < 0
    }

    public static func == (a: Self, b: Self) -> Bool {
        a.collection == b.collection && a.id == b.id && a.app == b.app
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(textHash) }
    public func _rawHashValue(seed: Int) -> Int { ByteText.tableHash(Int(bitPattern: textHash), seed) }

    /// The parts' hashes are random already, so mixing them only has to keep them apart (Fibonacci hashing; the high
    /// half is folded into the low one, which tables use).
    var textHash: UInt {
        let app = UInt(bitPattern: app?.textHash ?? 0)
        var hash = UInt(bitPattern: id.textHash) ^ (app << 32 | app >> 32)
        hash = (hash &+ UInt(collection.ordinal)) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 32
    }
}
