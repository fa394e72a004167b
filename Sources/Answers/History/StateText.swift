import FocusCore

/// A user's rows, for people and for scripts: those that devices get, without the traces of deleted ones.
package enum StateText {
    /// A table, and the version below it.
    /// - Parameter app: only rows of this app; nil: all.
    package static func lines(_ state: borrowing UserState, of app: AppID?) -> [String] {
        var table = Table(["COLLECTION", "APP", "KEY", "VERSION", "VALUE"])
        for row in state.shownRows where app == nil || row.key.app == app {
            table.add([
                row.key.collection.rawValue, row.key.app?.rawValue ?? "", row.key.key, row.version.description,
                RowText.summary(row.key.collection, row.value),
            ])
        }
        return (table.isEmpty ? ["no rows"] : table.lines) + ["version \(state.version)"]
    }

    /// An object for each row.
    /// - Parameter app: only rows of this app; nil: all.
    package static func json(_ state: borrowing UserState, of app: AppID?) -> [String] {
        state.shownRows.filter { app == nil || $0.key.app == app }.map { row in
            var json = JSONText()
            json.add("collection", row.key.collection.rawValue)
            json.add("app", row.key.app?.rawValue)
            json.add("key", row.key.key)
            json.add("version", row.version.rawValue)
            json.addRaw("value", RowText.json(row.key.collection, row.value))
            return json.text
        }
    }
}
