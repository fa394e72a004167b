import FocusCore

/// The lanes that watch users, or answer questions about them, for one connection (rules V1, F6): those that own the
/// users' partitions.
struct PeerLanes {
    /// The lanes that were asked, also if they watch nobody for the connection any more.
    private var lanes: [ObjectIdentifier: Lane] = [:]

    /// The requests by which the lanes watch these users. Remembers the lanes.
    mutating func watch(
        _ users: Set<UserID>, _ viewer: Viewer, _ handle: SessionHandle, in all: Lanes
    ) -> [(Lane, LaneRequest)] {
        Self.byLane(users, all).map { id, asked in
            lanes[id] = asked.0
            return (asked.0, .watch(handle, viewer, asked.1))
        }
    }

    /// The requests by which the lanes stop watching these users.
    func unwatch(_ users: Set<UserID>, session: UInt64, in all: Lanes) -> [(Lane, LaneRequest)] {
        Self.byLane(users, all).values.map { ($0.0, .unwatch(session: session, $0.1)) }
    }

    /// Posts the question to the lane of the user whom it is about. Remembers the lane.
    mutating func ask(_ question: PeerQuestion, in all: Lanes) {
        let lane = all.lane(of: question.question.user)
        lanes[ObjectIdentifier(lane)] = lane
        lane.post(.reach(question))
    }

    /// Posts a request to every lane that was asked.
    /// - Parameter lane: the session's own lane, which gets the request otherwise.
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
