import FocusCore
import Foundation

/// What a made log is to hold. The same plan makes the same events, bit for bit, on every machine.
public struct LogPlan: Hashable, Sendable {
    /// Of all users together.
    public var events: Int
    public var users: Int
    public var seed: UInt64
    /// When the first things happen. 2026-01-05 was a Monday.
    public var start = Timestamp(microseconds: 1_767_571_200_000_000)
    /// Over how many days they spread.
    public var days = 90

    public init(events: Int, users: Int, seed: UInt64) {
        self.events = events
        self.users = users
        self.seed = seed
    }

    /// A user of the plan, and how many events are theirs.
    struct Share: Hashable, Sendable {
        /// 0: the busiest.
        var rank: Int
        var user: UserID
        var events: Int
    }

    /// Users by partition. The user of rank k has 1/k of what the busiest has (Zipf's law); only divisions have a part
    /// in it, so that every machine comes to the same.
    func shares(partitions: Int32) -> [Partition: [Share]] {
        var shares: [Partition: [Share]] = [:]
        let total = (1...max(1, users)).reduce(0.0) { $0 + 1 / Double($1) }
        var (sum, given) = (0.0, 0)
        for rank in 0..<users {
            sum += 1 / Double(rank + 1)
            let until = rank == users - 1 ? events : min(events, Int(Double(events) * (sum / total)))
            let user = UserID(random(of: rank, stream: 0).firstUUID)
            if until > given {
                shares[.of(user: user, count: partitions), default: []].append(
                    Share(rank: rank, user: user, events: until - given))
            }
            given = until
        }
        return shares
    }

    /// The numbers of a user.
    func random(of rank: Int, stream: UInt64) -> PlanRandom {
        PlanRandom(seed: seed, stream: UInt64(rank) << 8 | stream)
    }
}

extension PlanRandom {
    fileprivate var firstUUID: UUID {
        var copy = self
        return copy.uuid()
    }
}
