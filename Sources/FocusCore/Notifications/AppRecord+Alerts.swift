/// Alerts are decided once, in log order, against the state at that version, and never revised by older events that
/// arrive later (rule E6). A row in `alerts` belongs to the post that its notification shows: it goes when the
/// notification leaves the list, when a re-post arrives already read, and, while it is held, when the notification is
/// read (rule N10). What has rung stays as it was.
extension UserState {
    /// The decision for a new post that is listed and unread.
    mutating func decideAlert(_ id: ByteText, _ post: NotificationPost, _ slot: Int, _ context: inout FoldContext) {
        // Which one is the app's first is decided in log order like the alert, and so stands in its row: an older
        // post that arrives later does not take it back.
        let introduces = post.level == .timeSensitive && !apps[slot].hasIntroducedTimeSensitive
        if introduces {
            apps[slot].hasIntroducedTimeSensitive = true
            context.touch(RowKey(.apps, app: apps[slot].app))
        }
        let row = AlertRow(
            decision(post, slot, .phone, context), introducesTimeSensitive: introduces, post: context.version)
        guard classesMayDiffer(id, slot) else {
            write(row, id, slot, &context)
            return
        }
        var rows = ByClass(repeating: row)
        for deviceClass in apps[slot].settings.differing {
            rows[deviceClass].decision = decision(post, slot, deviceClass, context)
        }
        write(rows, id, slot, &context)
    }

    mutating func dropAlert(_ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        note(id, isHeld: false, isWaiting: false, slot)
        remove(RowKey(.alerts, app: apps[slot].app, id: id), &context)
        dropClassAlerts(id, slot, &context)
    }

    /// Decides the app's held alerts again, because what held them may have changed (rule N10).
    mutating func decideHeldAgain(_ slot: Int, _ context: inout FoldContext) throws(FoldError) {
        guard !apps[slot].list.held.isEmpty else { return }
        for id in apps[slot].list.held.sorted() {
            guard let post = apps[slot].list[id].post else {
                throw .brokenInvariant("a held alert without a listed notification")
            }
            var row: AlertRow = try value(of: RowKey(.alerts, app: apps[slot].app, id: id))
            if classesMayDiffer(id, slot) {
                var rows = try alerts(of: id, phone: row, slot)
                for deviceClass in DeviceClass.allCases where rows[deviceClass].decision.alert.isHeld {
                    rows[deviceClass].decision = decision(post, slot, deviceClass, context)
                }
                write(rows, id, slot, &context)
            } else {
                row.decision = decision(post, slot, .phone, context)
                write(row, id, slot, &context)
            }
        }
    }

    /// Writes the row that all classes share.
    private mutating func write(_ row: AlertRow, _ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        note(id, isHeld: row.decision.alert.isHeld, isWaiting: row.decision.alert == .heldForSummary, slot)
        put(RowKey(.alerts, app: apps[slot].app, id: id), row.encoded, &context)
    }

    /// Everything that rule N9 looks at, for a post of the app on a class of device.
    func inputs(_ post: NotificationPost, _ slot: Int, _ deviceClass: DeviceClass) -> AlertInputs {
        var inputs = AlertInputs(authorization: apps[slot].status(.notifications), level: post.level)
        inputs.isMarketing = post.isMarketing
        inputs.isCommunication = post.isCommunication
        inputs.focus = focus.effective.map { focus in
            AlertInputs.FocusFilter(
                allowsTimeSensitive: focus.configuration.allowsTimeSensitive,
                allowsApp: focus.configuration.allowedApps.contains(apps[slot].app),
                allowsSender: focus.configuration.allows(post.sender))
        }
        applySettings(to: &inputs, post, slot, deviceClass)
        return inputs
    }
}
