import FocusCore

/// A user's rows, for people and for scripts: those that devices get, without the traces of deleted ones.
package enum StateText {
    /// A table, and the version below it.
    /// - Parameter app: only rows of this app; nil: all.
    package static func lines(_ state: borrowing UserState, of app: AppID?) -> [String] {
        var table = Table(["COLLECTION", "APP", "KEY", "VERSION", "VALUE"])
        for (key, row) in rows(state, app) {
            table.add([
                key.collection.rawValue, key.app?.rawValue ?? "", key.key, row.version.description,
                RowText.summary(key.collection, row.value),
            ])
        }
        return (table.isEmpty ? ["no rows"] : table.lines) + ["version \(state.version)"]
    }

    /// An object for each row.
    /// - Parameter app: only rows of this app; nil: all.
    package static func json(_ state: borrowing UserState, of app: AppID?) -> [String] {
        rows(state, app).map { key, row in
            var json = JSONText()
            json.add("collection", key.collection.rawValue)
            json.add("app", key.app?.rawValue)
            json.add("key", key.key)
            json.add("version", row.version.rawValue)
            json.addRaw("value", RowText.json(key.collection, row.value))
            return json.text
        }
    }

    private static func rows(_ state: borrowing UserState, _ app: AppID?) -> [(RowKey, Row)] {
        var rows: [(RowKey, Row)] = []
        for key in state.rowKeys.sorted() where key.collection.isPublic && (app == nil || key.app == app) {
            guard let row = state.row(key), !row.isDeleted else { continue }
            rows.append((key, row))
        }
        return rows
    }
}
