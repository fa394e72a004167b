/// Alerts of classes of device that come out differently (rule N15). The phone's row in `alerts` speaks for every class
/// without a row of its own in `class_alerts`, so where all settings agree this costs nothing.
extension AppRecord {
    /// Whether some class of device may have another decision than the phone's.
    func classesMayDiffer(_ id: ByteText) -> Bool { !settings.differing.isEmpty || hasClassAlerts(id) }

    private func hasClassAlerts(_ id: ByteText) -> Bool {
        !list.withClassAlerts.isEmpty && list.withClassAlerts.contains(id)
    }

    /// The alert of each class: its own row, or the phone's. All of them have no `deviceClass`, so that they compare.
    func alerts(
        of id: ByteText, phone: AlertRow, _ shared: borrowing SharedState
    ) throws(FoldError) -> ByClass<AlertRow> {
        var rows = ByClass(repeating: phone)
        guard hasClassAlerts(id) else { return rows }
        for deviceClass in DeviceClass.followers {
            let key = ClassAlertKey(deviceClass, id).rowKey(app)
            guard let entry = shared.store[key], !entry.isDeleted else { continue }
            rows[deviceClass] = try shared.value(of: key)
            rows[deviceClass].deviceClass = nil
        }
        return rows
    }

    /// Writes the phone's row, and one for each class that differs from it.
    mutating func writeAlerts(_ rows: ByClass<AlertRow>, of id: ByteText, _ shared: inout SharedState) {
        let alerts = DeviceClass.allCases.map { rows[$0].decision.alert }
        let (isHeld, isWaiting) = (alerts.contains(where: \.isHeld), alerts.contains(.heldForSummary))
        recordHold(of: id, isHeld: isHeld, isWaiting: isWaiting, &shared)
        shared.recordRing(of: alertKey(id), at: DeviceClass.allCases.compactMap { rows[$0].othersAt }.min())
        shared.put(alertKey(id), rows.phone.encoded)
        var differs = false
        for deviceClass in DeviceClass.followers {
            let key = ClassAlertKey(deviceClass, id).rowKey(app)
            guard rows[deviceClass] != rows.phone else {
                shared.remove(key)
                continue
            }
            differs = true
            var row = rows[deviceClass]
            row.deviceClass = deviceClass
            shared.put(key, row.encoded)
        }
        if differs {
            list.withClassAlerts.insert(id)
        } else {
            list.withClassAlerts.remove(id)
        }
    }

    mutating func dropClassAlerts(_ id: ByteText, _ shared: inout SharedState) {
        guard hasClassAlerts(id) else { return }
        list.withClassAlerts.remove(id)
        for deviceClass in DeviceClass.followers { shared.remove(ClassAlertKey(deviceClass, id).rowKey(app)) }
    }

    /// Rule N10: the notification was read, so what is held of its alert is not released. Where the phone's has rung
    /// already, a class that still held it needs a row that says so: without one the phone's would count.
    mutating func forgetHeldAlert(_ id: ByteText, _ shared: inout SharedState) throws(FoldError) {
        let phone: AlertRow = try shared.value(of: RowKey(.alerts, app: app, id: id))
        if phone.decision.alert.isHeld {
            dropAlert(id, &shared)
            return
        }
        var rows = try alerts(of: id, phone: phone, shared)
        for deviceClass in DeviceClass.followers where rows[deviceClass].decision.alert.isHeld {
            rows[deviceClass].decision = AlertDecision(.none, .read)
        }
        writeAlerts(rows, of: id, &shared)
    }

    /// Rule N10: an alert that waits for the summary rings now, where N9 has no other reason against it; under a Focus
    /// that does not let it through it waits for the next one. Returns whether it rings for any class.
    mutating func releaseAlert(
        of id: ByteText, _ post: NotificationPost, rank: Int32, _ shared: inout SharedState
    ) throws(FoldError) -> Bool {
        var released: Set<DeviceClass> = []
        var rows = try alerts(of: id, phone: shared.value(of: RowKey(.alerts, app: app, id: id)), shared)
        for deviceClass in DeviceClass.allCases where rows[deviceClass].decision.alert == .heldForSummary {
            var inputs = alertInputs(post, on: deviceClass, shared)
            inputs.inScheduledDelivery = false
            let decision = AlertDecision(inputs)
            switch decision.alert {
            case .now:
                rows[deviceClass].decision = AlertDecision(.now, .summary)
                rows[deviceClass].summaryRank = rank
                released.insert(deviceClass)
            case .none: rows[deviceClass].decision = decision
            case .heldByFocus, .heldForSummary: break
            }
        }
        if !released.isEmpty {
            Self.ring(&rows, for: released, ringOrder(of: id, post, isPosted: false, shared), shared)
        }
        writeAlerts(rows, of: id, &shared)
        return !released.isEmpty
    }

    /// Records whether any class holds the alert, and whether any waits for the summary.
    mutating func recordHold(of id: ByteText, isHeld: Bool, isWaiting: Bool, _ shared: inout SharedState) {
        if isHeld {
            list.held.insert(id)
        } else if !list.held.isEmpty {
            list.held.remove(id)
        }
        if isWaiting {
            if list.waiting.insert(id).inserted { shared.waitingCount += 1 }
        } else if !list.waiting.isEmpty, list.waiting.remove(id) != nil {
            shared.waitingCount -= 1
        }
    }
}

/// The key of a row in `class_alerts`: `<class>/<notification id>`. A class's name holds no slash, an id may.
struct ClassAlertKey: Hashable {
    var deviceClass: DeviceClass
    var id: ByteText

    init(_ deviceClass: DeviceClass, _ id: ByteText) {
        self.deviceClass = deviceClass
        self.id = id
    }

    /// Nil when `text` is no such key.
    init?(_ text: String) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let deviceClass = DeviceClass(rawValue: String(text[..<slash])), deviceClass != .phone
        else { return nil }
        self.init(deviceClass, ByteText(String(text[text.utf8.index(after: slash)...])))
    }

    func rowKey(_ app: AppID) -> RowKey { RowKey(.classAlerts, app: app, key: "\(deviceClass.rawValue)/\(id.text)") }
}
