import EventStore
import FocusCore
import Logging

/// What every connection works with.
struct ConnectionServices: Sendable {
    var limits: SessionLimits
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

    /// The partitions of the lane at `index`.
    func partitions(of index: Int) -> [Partition] {
        (0..<partitions).filter { Int($0) % lanes.count == index }.map(Partition.init)
    }
}
