import EventStore
import FocusCore
import Logging

/// What all connections of a server share.
struct ConnectionServices: Sendable {
    var limits: SessionLimits
    var format: LogFormat
    var clock: ServerClock
    var tokens: any TokenCheck
    var lanes: Lanes
    var budget: InboundBudget
    var connections: ConnectionRegistry
    var logger: Logger
}

/// The lanes of a server. Each partition belongs to one of them for good.
struct Lanes: Sendable {
    let lanes: [Lane]
    /// The number of partitions of the log.
    let partitions: Int32

    /// The lane that owns the user's partition.
    func lane(of user: UserID) -> Lane {
        lanes[Int(Partition.of(user: user, count: partitions).rawValue) % lanes.count]
    }

    /// Makes the lanes of these partitions look up the heads: another server may have appended there.
    func headsMayHaveMoved(_ heard: HintListener.Heard) {
        for (index, lane) in lanes.enumerated() {
            switch heard {
            case .nothing: break
            case .any: lane.post(.headsMayHaveMoved)
            case .partitions(let moved):
                if moved.contains(where: { Int($0.rawValue) % lanes.count == index }) { lane.post(.headsMayHaveMoved) }
            }
        }
    }

    /// The partitions of the lane at `index`.
    func partitions(of index: Int) -> [Partition] {
        (0..<partitions).filter { Int($0) % lanes.count == index }.map(Partition.init)
    }
}
