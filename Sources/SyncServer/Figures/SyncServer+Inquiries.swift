import EventStore
import FocusCore

/// A session, for operators.
public struct SessionReport: Hashable, Sendable {
    /// Names the connection on this server.
    public var connection: UInt64
    public var user: UserID
    public var device: DeviceID
    public var scope: Scope
    public var deviceClass: DeviceClass
    /// Milliseconds since it was opened.
    public var age: Int64
    /// Bytes of rows that wait for the device to take them.
    public var queuedBytes: Int
    /// Whether there is no room for more.
    public var isBehind: Bool
}

/// A user in memory, for operators.
public struct ResidentUserReport: Hashable, Sendable {
    public var user: UserID
    /// About how many bytes they take.
    public var bytes: Int
    /// Events of their stream.
    public var version: Version
    public var sessions: Int
}

/// A partition as its lane sees it, for operators.
public struct PartitionReport: Hashable, Sendable {
    public var partition: Partition
    /// The offset that the next event gets.
    public var head: LogOffset
    /// The read model shows every event below this offset, but for those of laggards.
    public var checkpoint: LogOffset
    /// The generation of the read model that is shown.
    public var generation: Int32
}

/// Questions to the lanes. Each is nil when a lane does not answer within seconds, because it waits for its database.
extension SyncServer {
    /// Everybody who has a session, in no order.
    public func sessionReports() async -> [SessionReport]? {
        await inquire { worker in
            let now = worker.now
            return worker.sessions.open.all.map { session in
                SessionReport(
                    connection: session.handle.id, user: session.identity.user, device: session.identity.device,
                    scope: session.identity.scope, deviceClass: session.subscription.view.deviceClass,
                    age: now - session.openedAt, queuedBytes: session.handle.quota.queuedBytes,
                    isBehind: session.handle.quota.isBehind)
            }
        }
    }

    /// Everybody who is in memory, in no order.
    public func residentUserReports() async -> [ResidentUserReport]? {
        await inquire { worker in
            worker.users.resident.all.map { user in
                ResidentUserReport(
                    user: user.id, bytes: user.approximateBytes, version: user.state.version,
                    sessions: worker.sessions.open.sessions(of: user.id).count)
            }
        }
    }

    /// Everybody who is quarantined, in no order.
    public func quarantinedUsers() async -> [UserID]? {
        await inquire { $0.users.resident.quarantinedUsers }
    }

    /// All partitions, in no order.
    public func partitionReports() async -> [PartitionReport]? {
        await inquire { worker in
            worker.log.tails.known.map { head in
                PartitionReport(
                    partition: head.partition, head: head.nextOffset,
                    checkpoint: worker.users.backlog.checkpoint(of: head.partition), generation: head.generation)
            }
        }
    }

    private func inquire<Entry: Sendable>(_ read: @escaping @Sendable (LaneWorker) -> [Entry]) async -> [Entry]? {
        await LaneInquiry.ask(lanes.lanes, read)?.flatMap(\.self)
    }
}
