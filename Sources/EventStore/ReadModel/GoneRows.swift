import FocusCore
import Foundation
import PostgresClient

/// Rows of one collection that are to be deleted for good: one array per column.
struct GoneRows {
    let collection: RowCollection
    private var users: [UUID] = []
    private var apps: [String?] = []
    private var keys: [String?] = []

    init(_ collection: RowCollection) { self.collection = collection }

    mutating func append(_ user: UserID, _ key: RowKey) {
        users.append(user.uuid)
        apps.append(key.app?.rawValue ?? "")
        keys.append(StoredKey(key.key).text)
    }

    /// The rows in their order, in tables of at most about `bytes` bytes of keys each.
    func pieces(bytes: Int) -> [GoneRows] {
        var pieces: [GoneRows] = []
        var taken = Int.max
        for index in keys.indices {
            let size = (keys[index]?.utf8.count ?? 0) + (apps[index]?.utf8.count ?? 0) + Self.rowBytes
            if taken > bytes - min(size, bytes) {
                pieces.append(GoneRows(collection))
                taken = 0
            }
            taken += size
            pieces[pieces.count - 1].users.append(users[index])
            pieces[pieces.count - 1].apps.append(apps[index])
            pieces[pieces.count - 1].keys.append(keys[index])
        }
        return pieces
    }

    /// What a row takes beside its key and its app: a user's id, three lengths.
    private static let rowBytes = 28

    /// The parameters of `TableStatements.delete`.
    func parameters(_ partition: Partition) -> [PostgresValue] {
        [.int4(partition.rawValue), .uuidArray(users), .textArray(apps), .textArray(keys)]
    }
}
