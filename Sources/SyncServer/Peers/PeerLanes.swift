import FocusCore

/// The lanes that watch users for one connection: those that own the users' partitions (rule V1).
struct PeerLanes {
    private var lanes: [ObjectIdentifier: Lane] = [:]

    mutating func watch(_ users: Set<UserID>, _ viewer: Viewer, _ handle: SessionHandle, in all: Lanes) {
        for (_, (lane, some)) in Self.byLane(users, all) {
            lanes[ObjectIdentifier(lane)] = lane
            lane.post(.watch(handle, viewer, some))
        }
    }

    func unwatch(_ users: Set<UserID>, session: UInt64, in all: Lanes) {
        for (_, (lane, some)) in Self.byLane(users, all) { lane.post(.unwatch(session: session, some)) }
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
