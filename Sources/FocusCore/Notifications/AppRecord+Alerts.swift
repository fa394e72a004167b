/// Alerts are decided once, in log order, against the state at that version, and never revised by older events that
/// arrive later (rule E6). A row in `alerts` belongs to the post that its notification shows: it goes when the
/// notification leaves the list, when a re-post arrives already read, and, while it is held, when the notification is
/// read (rule N10). What has rung stays as it was.
extension AppRecord {
    /// Decides the alert of a new post that is listed and unread.
    /// - Parameter replacesUnread: whether it is a re-post of what nobody has read.
    mutating func decideAlert(
        _ id: ByteText, _ post: NotificationPost, replacesUnread: Bool, _ shared: inout SharedState
    ) throws(FoldError) {
        let order = ringOrder(of: id, post, isPosted: true, shared)
        let row = AlertRow(
            decision(post, on: .phone, isInFront: order == .inFront, shared), introducesTimeSensitive: false,
            post: shared.event.version)
        var rows = ByClass(repeating: row)
        for deviceClass in settings.differing {
            rows[deviceClass].decision = decision(post, on: deviceClass, isInFront: order == .inFront, shared)
        }
        if try introducesTimeSensitive(id, post, rows, replacesUnread: replacesUnread, &shared) {
            for deviceClass in DeviceClass.allCases { rows[deviceClass].introducesTimeSensitive = true }
        }
        // What rings everywhere at once has nothing to remember of it.
        if order != .everywhere {
            Self.ring(&rows, for: Self.ringing(rows), order, waiting: shared.pendingRings[alertKey(id)], shared)
        }
        write(rows, of: id, &shared)
    }

    /// Rule N3: whether the post is the app's first time-sensitive one that anybody is told of. Decided in log order
    /// like the alert, and so stands in its row: an older post that arrives later does not take it back. What introduced
    /// them and was replaced before anybody read it has not.
    private mutating func introducesTimeSensitive(
        _ id: ByteText, _ post: NotificationPost, _ rows: ByClass<AlertRow>, replacesUnread: Bool,
        _ shared: inout SharedState
    ) throws(FoldError) -> Bool {
        var isIntroduced = hasIntroducedTimeSensitive
        if isIntroduced, replacesUnread, let alert = shared.store[alertKey(id)], !alert.isDeleted {
            let replaced: AlertRow = try shared.value(of: alertKey(id))
            isIntroduced = !replaced.introducesTimeSensitive
        }
        let introduces = post.level == .timeSensitive && !isIntroduced && DeviceClass.allCases.contains {
            rows[$0].decision.alert != .none || rows[$0].decision.reason == .inFront
        }
        if hasIntroducedTimeSensitive != (isIntroduced || introduces) {
            hasIntroducedTimeSensitive.toggle()
            shared.touch(RowKey(.apps, app: app))
        }
        return introduces
    }

    /// The classes for which the alert rings, or would if its app was not in front.
    static func ringing(_ rows: ByClass<AlertRow>) -> Set<DeviceClass> {
        Set(DeviceClass.allCases.filter { rows[$0].decision.alert == .now || rows[$0].decision.reason == .inFront })
    }

    private mutating func write(_ rows: ByClass<AlertRow>, of id: ByteText, _ shared: inout SharedState) {
        if classesMayDiffer(id) {
            writeAlerts(rows, of: id, &shared)
        } else {
            writeAlert(rows.phone, of: id, &shared)
        }
    }

    mutating func dropAlert(_ id: ByteText, _ shared: inout SharedState) {
        recordHold(of: id, isHeld: false, isWaiting: false, &shared)
        shared.recordRing(of: alertKey(id), at: nil)
        shared.remove(alertKey(id))
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
            var rows = try alerts(of: id, phone: shared.value(of: alertKey(id)), shared)
            let held = DeviceClass.allCases.filter { rows[$0].decision.alert.isHeld }
            if classesMayDiffer(id) {
                for deviceClass in held { rows[deviceClass].decision = decision(post, on: deviceClass, shared) }
            } else {
                rows = ByClass(repeating: rows.phone)
                let decision = decision(post, on: .phone, shared)
                for deviceClass in held { rows[deviceClass].decision = decision }
            }
            let released = Set(held.filter { rows[$0].decision.alert == .now })
            if !released.isEmpty {
                Self.ring(&rows, for: released, ringOrder(of: id, post, isPosted: false, shared), shared)
            }
            write(rows, of: id, &shared)
        }
    }

    /// Writes the row that all classes share.
    private mutating func writeAlert(_ row: AlertRow, of id: ByteText, _ shared: inout SharedState) {
        let alert = row.decision.alert
        recordHold(of: id, isHeld: alert.isHeld, isWaiting: alert == .heldForSummary, &shared)
        shared.recordRing(of: alertKey(id), at: row.othersAt)
        shared.put(alertKey(id), row.encoded)
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
        // What is decided again is asked of the mute of now as well.
        if post.stamp != shared.event.stamp, let until = mutes.until, shared.event.recordedAt < until {
            inputs.isMuted = true
        }
        inputs.inScheduledDelivery = settings.scheduledDelivery && shared.summary.holdsAlerts
        return inputs
    }
}
