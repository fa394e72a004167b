/// Alerts are decided once, in log order, against the state at that version, and never revised by older events that
/// arrive later (rule E6). A row in `alerts` belongs to the post that its notification shows: it goes when the
/// notification leaves the list, when a re-post arrives already read, and, while it is held, when the notification is
/// read (rule N10). What has rung stays as it was.
extension AppRecord {
    /// Decides the alert of a new post that is listed and unread.
    mutating func decideAlert(_ id: ByteText, _ post: NotificationPost, _ shared: inout SharedState) {
        // Which one is the app's first is decided in log order like the alert, and so stands in its row: an older
        // post that arrives later does not take it back.
        let introduces = post.level == .timeSensitive && !hasIntroducedTimeSensitive
        if introduces {
            hasIntroducedTimeSensitive = true
            shared.touch(RowKey(.apps, app: app))
        }
        let row = AlertRow(
            decision(post, on: .phone, shared), introducesTimeSensitive: introduces, post: shared.event.version)
        guard classesMayDiffer(id) else {
            writeAlert(row, of: id, &shared)
            return
        }
        var rows = ByClass(repeating: row)
        for deviceClass in settings.differing {
            rows[deviceClass].decision = decision(post, on: deviceClass, shared)
        }
        writeAlerts(rows, of: id, &shared)
    }

    mutating func dropAlert(_ id: ByteText, _ shared: inout SharedState) {
        recordHold(of: id, isHeld: false, isWaiting: false, &shared)
        shared.remove(RowKey(.alerts, app: app, id: id))
        dropClassAlerts(id, &shared)
    }

    /// Decides the held alerts again, because what held them may have changed (rule N10).
    mutating func decideHeldAgain(_ shared: inout SharedState) throws(FoldError) {
        guard !list.held.isEmpty else { return }
        shared.count(list.held.count)
        for id in list.held.sorted() {
            guard let post = list[id].post else {
                throw .brokenInvariant("a held alert without a listed notification")
            }
            var row: AlertRow = try shared.value(of: RowKey(.alerts, app: app, id: id))
            if classesMayDiffer(id) {
                var rows = try alerts(of: id, phone: row, shared)
                for deviceClass in DeviceClass.allCases where rows[deviceClass].decision.alert.isHeld {
                    rows[deviceClass].decision = decision(post, on: deviceClass, shared)
                }
                writeAlerts(rows, of: id, &shared)
            } else {
                row.decision = decision(post, on: .phone, shared)
                writeAlert(row, of: id, &shared)
            }
        }
    }

    /// Writes the row that all classes share.
    private mutating func writeAlert(_ row: AlertRow, of id: ByteText, _ shared: inout SharedState) {
        let alert = row.decision.alert
        recordHold(of: id, isHeld: alert.isHeld, isWaiting: alert == .heldForSummary, &shared)
        shared.put(RowKey(.alerts, app: app, id: id), row.encoded)
    }

    /// Everything that rule N9 looks at, for a post of the app on a class of device.
    func alertInputs(
        _ post: NotificationPost, on deviceClass: DeviceClass, _ shared: borrowing SharedState
    ) -> AlertInputs {
        var inputs = AlertInputs(authorization: status(.notifications), level: post.level)
        inputs.isMarketing = post.isMarketing
        inputs.consentsToMarketing = status(.marketing) == .authorized
        inputs.isCommunication = post.isCommunication
        inputs.isGovernmentAlert = post.isGovernmentAlert
        inputs.isSilenced = shared.silence?.value ?? false
        inputs.focus = shared.focus.effective.map { focus in
            AlertInputs.FocusFilter(
                allowsTimeSensitive: focus.configuration.allowsTimeSensitive,
                allowsApp: focus.configuration.allowedApps.contains(app),
                allowsSender: focus.configuration.allows(post.sender))
        }
        let settings = settings[deviceClass]
        inputs.alertsOn = settings.alerts
        inputs.timeSensitiveOn = settings.timeSensitive
        inputs.isMuted = mutes.isMuted(at: post.stamp)
        inputs.inScheduledDelivery = settings.scheduledDelivery && shared.summary.holdsAlerts
        return inputs
    }
}
