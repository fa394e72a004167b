import FocusCore

extension Focus_Events_V1_ProjectionRebuilt: PayloadMessage {
    init(_ event: ProjectionRebuilt) {
        self.init()
        generation = event.generation
        horizon = event.horizon.rawValue
        rows = event.rows.map { key in
            var row = Focus_Events_V1_RebuiltRow()
            row.collection = key.collection.rawValue
            row.app = key.app?.rawValue ?? ""
            row.key = key.key
            return row
        }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        var keys: [RowKey] = []
        keys.reserveCapacity(rows.count)
        for row in rows {
            // Only a later program knows the collection, and nothing here holds such rows.
            guard let collection = RowCollection(rawValue: row.collection) else { continue }
            let app = row.app.isEmpty ? nil : AppID(row.app)
            guard row.app.isEmpty || app != nil else { throw .malformed("rows.app is not a bundle identifier.") }
            keys.append(RowKey(collection, app: app, key: row.key))
        }
        return .projectionRebuilt(
            ProjectionRebuilt(generation: generation, rows: keys, horizon: Version(horizon)))
    }
}
