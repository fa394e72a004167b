/// Why a notification rang, or did not.
extension UserState {
    func alertVerdict(
        _ id: String, _ app: AppID, _ deviceClass: DeviceClass, _ history: [Explanation.Cause]
    ) -> Verdict {
        guard let record = record(of: app)?.list[ByteText(id)], record.isListed else {
            let wasPosted = history.contains { $0.type == .notificationPosted || $0.type == .governmentAlertPosted }
            return wasPosted
                ? Verdict(
                    decision: "notListed", rule: "N7",
                    sentence: "It is not in the list: removed, cleared, or posted before that.",
                    deciding: ["listed"])
                : Verdict(
                    decision: "notPosted", rule: "N7",
                    sentence: "No post of this id was accepted. Collection refusals says what was refused.",
                    deciding: ["listed"])
        }
        guard let decision = alert(id, app, deviceClass)?.decision else {
            let hadAlert = history.contains { cause in
                cause.changes.contains { $0.key.collection == .alerts && $0.kind == .removed }
            }
            return Verdict(
                decision: "none", rule: hadAlert ? "N10" : "N7",
                sentence: hadAlert
                    ? "It was read while its alert was held: what was read is not released."
                    : "It was read before it arrived: what is born read gets no alert.",
                deciding: ["read"])
        }
        return Verdict(
            decision: "\(decision.alert)", rule: decision.reason.rule, sentence: decision.reason.sentence,
            deciding: decision.reason.deciding, isFinal: !decision.alert.isHeld)
    }

    /// Rule N9's inputs as they are now, and the rows that they come from.
    func alertEvidence(
        _ id: String, _ app: AppID, _ deviceClass: DeviceClass
    ) -> ([Explanation.Input], [RowKey]) {
        guard let record = record(of: app), let post = record.list[ByteText(id)].post else {
            return ([Explanation.Input("listed", false)], [])
        }
        let isUnread = record.list[ByteText(id)].isUnread
        let inputs = record.alertInputs(post, on: deviceClass, shared)
        let focus = shared.focus.effective
        var list = [
            Explanation.Input("listed", true),
            Explanation.Input("read", !isUnread),
            Explanation.Input("silenced", inputs.isSilenced),
            Explanation.Input("government", inputs.isGovernmentAlert),
            Explanation.Input("authorization", inputs.authorization),
            Explanation.Input("alerts", inputs.alertsOn),
            Explanation.Input("level", inputs.level),
            Explanation.Input("communication", inputs.isCommunication),
            Explanation.Input("marketing", inputs.isMarketing),
            Explanation.Input("muted", inputs.isMuted),
            Explanation.Input("timeSensitive", inputs.timeSensitiveOn),
            Explanation.Input("scheduledDelivery", inputs.inScheduledDelivery),
            Explanation.Input("focus", focus?.focusID ?? "none"),
        ]
        if let inUse = deviceInUse(at: shared.event.recordedAt) {
            list.append(Explanation.Input("deviceInUse", inUse.device))
        }
        list.append(Explanation.Input("inFront", shared.activity.isInFront(app, at: shared.event.recordedAt)))
        if let first = alert(id, app, deviceClass)?.firstDevice {
            list.append(Explanation.Input("ringsFirstOn", first))
        }
        if inputs.isMarketing { list.append(Explanation.Input("marketingConsent", inputs.consentsToMarketing)) }
        if let sender = post.sender { list.append(Explanation.Input("sender", sender)) }
        if let filter = inputs.focus {
            list.append(Explanation.Input("focusAllowsTimeSensitive", filter.allowsTimeSensitive))
            list.append(Explanation.Input("focusAllowsApp", filter.allowsApp))
            list.append(Explanation.Input("focusAllowsSender", filter.allowsSender))
        }
        var keys = [
            RowKey(.apps, app: app), RowKey(.authorizations, app: app, key: AuthorizationKind.notifications.name),
            RowKey(.notificationSettings), RowKey(.notificationSettings, app: app), RowKey(.activeFocus),
            RowKey(.deviceActivity),
        ]
        if inputs.isMarketing {
            keys.append(RowKey(.authorizations, app: app, key: AuthorizationKind.marketing.name))
        }
        if record.settings[deviceClass].scheduledDelivery { keys.append(RowKey(.deliverySchedule)) }
        if let focus { keys.append(RowKey(.focuses, key: focus.focusID)) }
        return (list, keys)
    }

    /// The class's own row, or the phone's (rule N15).
    func alert(_ id: String, _ app: AppID, _ deviceClass: DeviceClass) -> AlertRow? {
        let own: AlertRow? =
            deviceClass == .phone ? nil : try? shared.value(of: ClassAlertKey(deviceClass, ByteText(id)).rowKey(app))
        return own ?? (try? shared.value(of: RowKey(.alerts, app: app, key: id)))
    }
}
