extension UserState {
    /// About how much work folding the event takes at most, as far as that grows with what the user has: lists that are
    /// written anew, routes that are measured again. In the units of `work`; 0 for an event that costs what its own
    /// size says.
    ///
    /// Costs a look at a few counts, so that a server can decide where it folds the event. Nothing that is folded
    /// depends on it.
    public func estimatedWork(of event: Event) -> Int {
        switch event.body {
        case .appRegistered, .authorizationChanged, .categoriesRegistered, .badgeCleared, .interactionDeleted,
            .routeLocationsInserted, .routeFinished:
            return event.app.flatMap { appSlots[$0] }.map { apps[$0].estimatedWork(of: event.body) } ?? 0
        case .notificationSettingsChanged(let body):
            if let app = event.app { return appSlots[app].map { apps[$0].estimatedWork(of: body) } ?? 0 }
            return apps.indices.reduce(0) { $0 + apps[$1].estimatedWork(of: body) }
        case .focusConfigured, .focusRemoved, .focusChanged, .focusExpired, .deliveryScheduleChanged,
            .summaryDelivered:
            return apps.indices.reduce(0) { $0 + apps[$1].list.held.count * FoldWork.entryWritten }
        case .alertRingsElsewhere: return shared.pendingRings.count * FoldWork.entryWritten
        default:
            return 0
        }
    }
}

extension AppRecord {
    fileprivate func estimatedWork(of body: EventBody) -> Int {
        switch body {
        case .appRegistered(let body):
            registration.map({ ByteText($0.value.name) }) == ByteText(body.name)
                ? 0 : list.records.count * FoldWork.entryWritten
        case .authorizationChanged: list.held.count * FoldWork.entryWritten
        case .categoriesRegistered, .badgeCleared: list.records.count * FoldWork.entryWritten
        case .interactionDeleted(.ids): 0
        case .interactionDeleted: interactions.records.count * FoldWork.entryWritten
        case .routeLocationsInserted(let body): routes[ByteText(body.routeID)]?.estimatedWork(of: body.points) ?? 0
        case .routeFinished(let body):
            (routes[ByteText(body.routeID)]?.row.aggregates.counts.accepted ?? 0) * FoldWork.sealedPoint
        default: 0
        }
    }

    fileprivate func estimatedWork(of body: NotificationSettingsChanged) -> Int {
        let resent = body.previews == nil ? 0 : list.records.count
        return (resent + list.held.count) * FoldWork.entryWritten
    }
}

extension RouteRecord {
    /// Points that come late are folded with the stretches that they come into.
    fileprivate func estimatedWork(of points: [RoutePoint]) -> Int {
        guard let last = track?.chunks.last?.points.last, let first = points.lazy.map(\.time).min(), first <= last.time
        else { return 0 }
        return min(points.count * RouteChunk.capacity, row.aggregates.counts.accepted)
    }
}
