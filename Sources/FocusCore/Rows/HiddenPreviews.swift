/// The apps, and the classes of device, on which notifications show only their hidden form (rule N13). Nearly always
/// empty.
struct HiddenPreviews: Sendable {
    private(set) var classes: [AppID: Set<DeviceClass>] = [:]

    init(classes: [AppID: Set<DeviceClass>] = [:]) { self.classes = classes }

    var isEmpty: Bool { classes.isEmpty }

    /// Returns whether anything changed.
    mutating func set(_ app: AppID, _ settings: EffectiveSettings) -> Bool {
        let hiding = Set(DeviceClass.allCases.filter { settings[$0].previews == .never })
        guard hiding != classes[app] ?? [] else { return false }
        classes[app] = hiding.isEmpty ? nil : hiding
        return true
    }

    /// Whether some class shows the hidden form of the row.
    func hides(_ key: RowKey) -> Bool {
        guard !classes.isEmpty, key.collection == .notifications, let app = key.app else { return false }
        return classes[app] != nil
    }

    /// Whether this view shows the hidden form of the app's rows. An app always sees its own content.
    func hides(_ collection: RowCollection, of app: AppID?, in view: View) -> Bool {
        guard !classes.isEmpty, collection == .notifications, view.scope == .system, let app,
            let hiding = classes[app]
        else { return false }
        // Else a device would choose, by the class that it claims, to see what is hidden from it.
        return !view.isClassProven || hiding.contains(view.deviceClass)
    }
}

extension RowStore.Entry {
    /// The hidden form of a notification's row; empty for a row that does not decode, so that its content never shows.
    var hiddenValue: [UInt8] { (try? NotificationRow.hidden(value)) ?? [] }
}
