extension UserState {
    /// Rule N1: a register. What a list shows when previews are hidden follows it (rules N13, E6), as titles follow the
    /// app's name.
    mutating func applyCategories(
        _ body: CategoriesRegistered, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        let former = apps[slot].categories
        guard apps[slot].categories.write(body.categories, context.stamp) else { return }
        let key = RowKey(.categories, app: apps[slot].app)
        context.touch(key)
        put(key, CategoriesRow(body.categories).encoded, &context)
        let ids = (former.register?.value ?? []).map(\.id) + body.categories.map(\.id)
        guard ids.contains(where: { former.placeholder($0) != apps[slot].categories.placeholder($0) }) else { return }
        try rewritePlaceholders(slot, &context)
    }

    private mutating func rewritePlaceholders(_ slot: Int, _ context: inout FoldContext) throws(FoldError) {
        for id in apps[slot].list.records.filter({ $0.value.isListed }).keys.sorted() {
            let key = RowKey(.notifications, app: apps[slot].app, key: id.text)
            var row: NotificationRow = try value(of: key)
            row.hiddenBody = apps[slot].categories.placeholder(row.category)
            put(key, row.encoded, &context)
        }
    }
}

extension CategoryTable {
    /// Rule N13.
    func placeholder(_ id: String?) -> String? { self[id]?.hiddenPreviewsPlaceholder }
}
