import FocusCore
import Foundation

/// What a generated log is to hold. The same plan makes the same events, bit for bit, on every machine.
public struct LogPlan: Hashable, Sendable {
    /// The number of events, of all users together.
    public var events: Int
    public var users: Int
    public var seed: UInt64
    /// When the first events happen: 2026-01-05, a Monday, at midnight UTC.
    public var start = Timestamp(microseconds: 1_767_571_200_000_000)
    /// Over how many days the events spread.
    public var days = 90

    public init(events: Int, users: Int, seed: UInt64) {
        self.events = events
        self.users = users
        self.seed = seed
    }

    /// A user of the plan, and how many events are theirs.
    struct Share: Hashable, Sendable {
        /// The user's rank by the number of events; 0 is the busiest.
        var rank: Int
        var user: UserID
        var events: Int
    }

    /// Users by partition. The user of rank k has 1/(k + 1) of the busiest user's events (Zipf's law). It is computed
    /// with basic arithmetic alone, so that every machine comes to the same.
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

    /// The random numbers of a user; each stream is for a purpose of its own.
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
