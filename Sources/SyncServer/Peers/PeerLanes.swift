import FocusCore

/// The lanes that watch users for one connection: those that own the users' partitions (rule V1).
struct PeerLanes {
    private var lanes: [ObjectIdentifier: Lane] = [:]

    /// What the lanes are to be asked.
    mutating func watch(
        _ users: Set<UserID>, _ viewer: Viewer, _ handle: SessionHandle, in all: Lanes
    ) -> [(Lane, LaneRequest)] {
        Self.byLane(users, all).map { id, asked in
            lanes[id] = asked.0
            return (asked.0, .watch(handle, viewer, asked.1))
        }
    }

    func unwatch(_ users: Set<UserID>, session: UInt64, in all: Lanes) -> [(Lane, LaneRequest)] {
        Self.byLane(users, all).values.map { ($0.0, .unwatch(session: session, $0.1)) }
    }

    func post(_ request: LaneRequest, except lane: Lane?) {
        for other in lanes.values where other !== lane { other.post(request) }
    }

    private static func byLane(_ users: Set<UserID>, _ all: Lanes) -> [ObjectIdentifier: (Lane, [UserID])] {
        var some: [ObjectIdentifier: (Lane, [UserID])] = [:]
        for user in users {
            let lane = all.lane(of: user)
            some[ObjectIdentifier(lane), default: (lane, [])].1.append(user)
        }
        return some
    }
}
