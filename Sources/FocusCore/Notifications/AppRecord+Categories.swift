extension AppRecord {
    /// Rule N1: a register. What a list shows when previews are hidden follows it (rules N13, E6), as titles follow the
    /// app's name.
    mutating func applyCategories(_ body: CategoriesRegistered, _ shared: inout SharedState) throws(FoldError) {
        let former = categories
        guard categories.write(body.categories, shared.event.stamp) else { return }
        let key = RowKey(.categories, app: app)
        shared.touch(key)
        shared.put(key, CategoriesRow(body.categories).encoded)
        let ids = (former.register?.value ?? []).map(\.id) + body.categories.map(\.id)
        func differs(_ id: String) -> Bool {
            former.placeholder(id).map { ByteText($0) } != categories.placeholder(id).map { ByteText($0) }
        }
        guard ids.contains(where: differs) else { return }
        try rewritePlaceholders(&shared)
    }

    private mutating func rewritePlaceholders(_ shared: inout SharedState) throws(FoldError) {
        shared.count(list.records.count)
        for id in list.records.filter({ $0.value.isListed }).keys.sorted() {
            let key = RowKey(.notifications, app: app, key: id.text)
            var row: NotificationRow = try shared.value(of: key)
            row.hiddenBody = categories.placeholder(row.category)
            shared.put(key, row.encoded)
        }
    }
}

extension CategoryTable {
    /// Rule N13.
    func placeholder(_ id: String?) -> String? { self[id]?.hiddenPreviewsPlaceholder }
}
