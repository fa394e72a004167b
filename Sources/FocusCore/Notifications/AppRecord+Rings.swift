/// Rule N18: an alert that rings does so first on the device in use, and on the others if it stays unread. Decided
/// once, in log order, when the alert begins to ring.
extension AppRecord {
    /// Where an alert that begins to ring does so first.
    enum RingOrder: Hashable {
        case everywhere
        case on(DeviceID, DeviceClass)
        /// Nowhere yet: the app is in front on the device in use.
        case inFront
    }

    /// - Parameter isPosted: whether it begins to ring because it was posted. What is released was there before, so
    ///   that the app in front knows of it.
    func ringOrder(
        of id: ByteText, _ post: NotificationPost, isPosted: Bool, _ shared: borrowing SharedState
    ) -> RingOrder {
        // What is about danger waits for nobody.
        guard post.level != .critical, !post.isGovernmentAlert, shared.hasRoomForRing(of: alertKey(id)) else {
            return .everywhere
        }
        let now = shared.event.recordedAt
        if isPosted, shared.activity.isInFront(app, at: now) { return .inFront }
        return shared.activity.inUse(at: now).map { .on($0.device, $0.deviceClass) } ?? .everywhere
    }

    /// Lets the alert ring, for the classes for which it begins to.
    /// - Parameter waiting: when a post of the same notification before this one was to ring elsewhere. Devices that
    ///   wait wait no longer because of this one, or an app that posts often would keep them waiting.
    static func ring(
        _ rows: inout ByClass<AlertRow>, for classes: Set<DeviceClass>, _ order: RingOrder, waiting: Timestamp? = nil,
        _ shared: borrowing SharedState
    ) {
        let later = shared.event.recordedAt.adding(microseconds: ActivityLimits.ringsElsewhereMicroseconds)
        let others = min(later, waiting ?? later)
        for deviceClass in DeviceClass.allCases where classes.contains(deviceClass) {
            if rows[deviceClass].decision.reason == .inFront { rows[deviceClass].othersAt = others }
            // A device whose class the alert does not ring for cannot ring first.
            guard case .on(let device, let its) = order, classes.contains(its), rows[deviceClass].decision.alert == .now
            else { continue }
            (rows[deviceClass].firstDevice, rows[deviceClass].othersAt) = (device, others)
        }
    }

    /// Rule T4: the alert is still unread. What its app was told of in its stead is decided anew, and rings first on
    /// the device in use. What has rung there rings on the others if it would ring now: what a Focus or a mute that
    /// began since keeps back stays in the list, where it is already. Much later it rings nowhere.
    mutating func ringElsewhere(
        _ id: ByteText, dueBy due: Timestamp, _ shared: inout SharedState
    ) throws(FoldError) {
        guard let post = list[id].post else { throw .brokenInvariant("an alert is to ring without a notification") }
        var rows = try alerts(of: id, phone: shared.value(of: alertKey(id)), shared)
        var released: Set<DeviceClass> = []
        for deviceClass in DeviceClass.allCases {
            guard let at = rows[deviceClass].othersAt, at <= due else { continue }
            rows[deviceClass].othersAt = nil
            guard shared.event.recordedAt <= at.adding(microseconds: ActivityLimits.latestMicroseconds) else {
                continue
            }
            if rows[deviceClass].decision.alert == .now {
                rows[deviceClass].othersRing = stillRings(rows[deviceClass], post, on: deviceClass, shared)
            } else {
                let decision = decision(post, on: deviceClass, shared)
                rows[deviceClass].decision = decision
                if decision.alert == .now { released.insert(deviceClass) }
            }
        }
        if !released.isEmpty {
            Self.ring(&rows, for: released, ringOrder(of: id, post, isPosted: false, shared), shared)
        }
        writeAlerts(rows, of: id, &shared)
    }

    /// Whether what has rung would ring now. What a summary released does not wait for the next one.
    private func stillRings(
        _ row: AlertRow, _ post: NotificationPost, on deviceClass: DeviceClass, _ shared: borrowing SharedState
    ) -> Bool {
        var inputs = alertInputs(post, on: deviceClass, shared)
        if row.decision.reason == .summary { inputs.inScheduledDelivery = false }
        return AlertDecision(inputs).alert == .now
    }

    /// The notification was read: its alert rings nowhere else.
    mutating func forgetRing(of id: ByteText, _ shared: inout SharedState) throws(FoldError) {
        var rows = try alerts(of: id, phone: shared.value(of: alertKey(id)), shared)
        for deviceClass in DeviceClass.allCases { rows[deviceClass].othersAt = nil }
        writeAlerts(rows, of: id, &shared)
    }

    func alertKey(_ id: ByteText) -> RowKey { RowKey(.alerts, app: app, id: id) }
}

extension UserState {
    /// When the first of the alerts that wait to ring elsewhere is to do so (rule T4); nil: none waits.
    public func dueRings() -> Timestamp? { shared.pendingRings.values.min() }

    /// The last time, not later than `now` and before `end`, at which an alert is to ring elsewhere.
    public func dueRings(upTo now: Timestamp, before end: Timestamp? = nil) -> Timestamp? {
        shared.pendingRings.values.filter { time in time <= now && end.map { time < $0 } ?? true }.max()
    }

    mutating func applyRingsElsewhere(_ body: AlertRingsElsewhere) throws(FoldError) {
        shared.count(shared.pendingRings.count * FoldWork.row)
        for key in shared.pendingRings.filter({ $0.value <= body.dueAt }).keys.sorted() {
            guard let slot = key.app.flatMap({ appSlots[$0] }) else { throw .brokenInvariant("an alert of no app") }
            try apps[slot].ringElsewhere(key.id, dueBy: body.dueAt, &shared)
        }
    }

    /// Rule T4: what is not due, or not any more, is not written.
    func ringRefusal(_ body: AlertRingsElsewhere, _ event: Event) -> Refusal? {
        guard body.dueAt <= event.recordedAt, shared.pendingRings.values.contains(body.dueAt) else {
            return Refusal(.fieldInvalid, "no alert is due to ring elsewhere")
        }
        return nil
    }
}

extension SharedState {
    /// Whether one more alert may wait to ring elsewhere.
    func hasRoomForRing(of key: RowKey) -> Bool {
        pendingRings.count < ActivityLimits.pendingRings || pendingRings[key] != nil
    }

    /// Records when the alert rings elsewhere; nil: it does not.
    mutating func recordRing(of key: RowKey, at time: Timestamp?) {
        if time != nil || !pendingRings.isEmpty { pendingRings[key] = time }
    }
}
