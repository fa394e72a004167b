import FocusCore

/// The figures that a lane gives away. They are made when somebody asks, and cost nothing otherwise.
extension LaneWorker {
    /// What the lane counted and holds. Takes time in proportion to its users and sessions, about a millisecond for ten
    /// thousand.
    func figures() -> LaneFigures {
        var figures = countedFigures()
        figures.state.sessions = sessions.open.kinds
        figures.state.waitingSessions = sessions.open.waiting.count
        figures.state.waitingFrames = appends.count
        users.describe(&figures.state)
        lastState = figures.state
        return figures
    }

    /// The counts of now, and the state as it was when it was last asked for: while a turn is under way, users and what
    /// is due for them are not to be touched.
    func countedFigures() -> LaneFigures {
        var figures = LaneFigures()
        figures.counts = meter.counts
        (figures.counts.quarantines, figures.counts.evictions) = (users.quarantines, users.evictions)
        figures.counts.projectedEvents = watch.passedEvents
        figures.state = lastState
        figures.state.projection = watch.lag
        return figures
    }

    /// Sees how far the read model is behind.
    func watchProjection() {
        watch.look(now: now, heads: { log.tails.heads }, checkpoint: { users.backlog.checkpoint(of: $0) })
    }
}

extension OpenSessions {
    /// How many sessions there are of each kind.
    fileprivate var kinds: [LaneState.SessionKind: Int] {
        var kinds: [LaneState.SessionKind: Int] = [:]
        for session in all {
            let view = session.subscription.view
            let isOfApp = session.identity.scope != .system
            kinds[LaneState.SessionKind(deviceClass: view.deviceClass, isOfApp: isOfApp), default: 0] += 1
        }
        return kinds
    }
}

extension LaneUsers {
    /// Says who is in memory, and for whom something is due.
    fileprivate func describe(_ state: inout LaneState) {
        (state.residentUsers, state.residentBytes) = (resident.count, resident.bytes)
        (state.loadingUsers, state.quarantinedUsers) = (loads.count, resident.quarantinedCount)
        let overdue = due.overdue(context.clock.wall())
        (state.dueUsers, state.dueSince) = (overdue.count, overdue.since)
    }
}
