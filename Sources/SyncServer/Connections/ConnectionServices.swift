import EventStore
import FocusCore
import Logging

/// What every connection works with.
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

/// Which lane owns a user's partition.
struct Lanes: Sendable {
    let lanes: [Lane]
    let partitions: Int32

    func lane(of user: UserID) -> Lane {
        lanes[Int(Partition.of(user: user, count: partitions).rawValue) % lanes.count]
    }

    /// Other servers may have appended to these partitions.
    func lookAtHeads(_ heard: HintListener.Heard) {
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
