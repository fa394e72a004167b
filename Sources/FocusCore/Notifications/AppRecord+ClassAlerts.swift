/// Alerts of classes of device that come out differently (rule N15). The phone's row in `alerts` speaks for every class
/// without a row of its own in `class_alerts`, so where all settings agree this costs nothing.
extension UserState {
    /// Whether some class of device may have another decision than the phone's.
    func classesMayDiffer(_ id: ByteText, _ slot: Int) -> Bool {
        !apps[slot].settings.differing.isEmpty || hasClassAlerts(id, slot)
    }

    private func hasClassAlerts(_ id: ByteText, _ slot: Int) -> Bool {
        !apps[slot].list.withClassAlerts.isEmpty && apps[slot].list.withClassAlerts.contains(id)
    }

    /// The alert of each class: its own row, or the phone's. All of them have no `deviceClass`, so that they compare.
    func alerts(of id: ByteText, phone: AlertRow, _ slot: Int) throws(FoldError) -> ByClass<AlertRow> {
        var rows = ByClass(repeating: phone)
        guard hasClassAlerts(id, slot) else { return rows }
        for deviceClass in DeviceClass.followers {
            let key = ClassAlertKey(deviceClass, id).rowKey(apps[slot].app)
            guard let entry = store[key], !entry.isDeleted else { continue }
            rows[deviceClass] = try value(of: key)
            rows[deviceClass].deviceClass = nil
        }
        return rows
    }

    /// Writes the phone's row, and one for each class that differs from it.
    mutating func write(_ rows: ByClass<AlertRow>, _ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        let alerts = DeviceClass.allCases.map { rows[$0].decision.alert }
        note(id, isHeld: alerts.contains(where: \.isHeld), isWaiting: alerts.contains(.heldForSummary), slot)
        put(RowKey(.alerts, app: apps[slot].app, id: id), rows.phone.encoded, &context)
        var differs = false
        for deviceClass in DeviceClass.followers {
            let key = ClassAlertKey(deviceClass, id).rowKey(apps[slot].app)
            guard rows[deviceClass] != rows.phone else {
                remove(key, &context)
                continue
            }
            differs = true
            var row = rows[deviceClass]
            row.deviceClass = deviceClass
            put(key, row.encoded, &context)
        }
        if differs {
            apps[slot].list.withClassAlerts.insert(id)
        } else {
            apps[slot].list.withClassAlerts.remove(id)
        }
    }

    mutating func dropClassAlerts(_ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        guard hasClassAlerts(id, slot) else { return }
        apps[slot].list.withClassAlerts.remove(id)
        for deviceClass in DeviceClass.followers {
            remove(ClassAlertKey(deviceClass, id).rowKey(apps[slot].app), &context)
        }
    }

    /// Rule N10: the notification was read, so what is held of its alert is not released. Where the phone's has rung
    /// already, a class that still held it needs a row that says so: without one the phone's would count.
    mutating func forgetHeldAlert(_ id: ByteText, _ slot: Int, _ context: inout FoldContext) throws(FoldError) {
        let phone: AlertRow = try value(of: RowKey(.alerts, app: apps[slot].app, id: id))
        if phone.decision.alert.isHeld {
            dropAlert(id, slot, &context)
            return
        }
        var rows = try alerts(of: id, phone: phone, slot)
        for deviceClass in DeviceClass.followers where rows[deviceClass].decision.alert.isHeld {
            rows[deviceClass].decision = AlertDecision(.none, .read)
        }
        write(rows, id, slot, &context)
    }

    /// Rule N10: an alert that waits for the summary rings now, where N9 has no other reason against it; under a Focus
    /// that does not let it through it waits for the next one. Returns whether it rings for any class.
    mutating func release(
        _ id: ByteText, _ post: NotificationPost, _ rank: Int32, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) -> Bool {
        var isReleased = false
        var rows = try alerts(of: id, phone: value(of: RowKey(.alerts, app: apps[slot].app, id: id)), slot)
        for deviceClass in DeviceClass.allCases where rows[deviceClass].decision.alert == .heldForSummary {
            var inputs = inputs(post, slot, deviceClass)
            inputs.inScheduledDelivery = false
            let decision = AlertDecision(inputs)
            switch decision.alert {
            case .now:
                rows[deviceClass].decision = AlertDecision(.now, .summary)
                rows[deviceClass].summaryRank = rank
                isReleased = true
            case .none: rows[deviceClass].decision = decision
            case .heldByFocus, .heldForSummary: break
            }
        }
        write(rows, id, slot, &context)
        return isReleased
    }

    /// Records whether any class holds the alert, and whether any waits for the summary.
    mutating func note(_ id: ByteText, isHeld: Bool, isWaiting: Bool, _ slot: Int) {
        if isHeld {
            apps[slot].list.held.insert(id)
        } else if !apps[slot].list.held.isEmpty {
            apps[slot].list.held.remove(id)
        }
        if isWaiting {
            if apps[slot].list.waiting.insert(id).inserted { waitingCount += 1 }
        } else if !apps[slot].list.waiting.isEmpty, apps[slot].list.waiting.remove(id) != nil {
            waitingCount -= 1
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
