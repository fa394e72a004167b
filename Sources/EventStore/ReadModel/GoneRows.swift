import FocusCore
import Foundation
import PostgresClient

/// Rows to be deleted for good, as one array per column, in the order of `delete_rows`.
struct GoneRows {
    private var collections: [String?] = []
    private var users: [UUID] = []
    private var apps: [String?] = []
    private var keys: [String?] = []

    var isEmpty: Bool { keys.isEmpty }

    mutating func append(_ user: UserID, _ key: RowKey) {
        collections.append(key.collection.rawValue)
        users.append(user.uuid)
        apps.append(key.app?.rawValue ?? "")
        keys.append(StoredKey(key.key).text)
    }

    func parameters(_ partition: Partition) -> [PostgresValue] {
        [
            .int4(partition.rawValue), .textArray(collections), .uuidArray(users), .textArray(apps), .textArray(keys),
        ]
    }
}
