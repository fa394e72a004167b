import EventStore
import FocusCore
import SyncServer

/// The appends that a server has and has not answered, and how many commits others get in before it does. Commits while
/// an append's user is loaded do not count.
final class WaitingAppends {
    private struct Waiting {
        weak var link: SimulatedLink?
        let user: UserID
        let partition: Partition
        let last: DeviceSequence
        let count: Int
        /// The partition's commits when the append came; nil: its user had to be loaded, which takes as long as it takes.
        let since: Int?
        /// How many of the commits since then came while the user was loaded again: a statement that comes too late drops
        /// its users from memory.
        var whileLoading = 0
        /// How many of the partition's events waited then, these included, and how many have come since: users who asked
        /// for less before go first (rule Q1).
        var events: Int
    }

    private unowned let simulation: Simulation
    private var waiting: [Waiting] = []

    init(_ simulation: Simulation) { self.simulation = simulation }

    func brought(_ request: AppendRequest, of user: UserID, on link: SimulatedLink, isLoaded: Bool) {
        waiting.removeAll { $0.link?.isOver ?? true }
        let count = request.envelopes.count
        let partition = simulation.log.identity.partition(of: user)
        let before = waiting.reduce(0) { $0 + ($1.partition == partition ? $1.count : 0) }
        for index in waiting.indices where waiting[index].partition == partition { waiting[index].events += count }
        waiting.append(
            Waiting(
                link: link, user: user, partition: partition,
                last: request.firstSequence.advanced(by: max(0, count - 1)), count: count,
                since: isLoaded ? simulation.log.commits(in: partition) : nil, events: before + count))
    }

    /// A load of the user was answered.
    /// - Parameter asked: the partition's commits when it was asked for.
    func loaded(_ user: UserID, in partition: Partition, asked: Int) {
        let commits = simulation.log.commits(in: partition)
        for index in waiting.indices where waiting[index].user == user {
            waiting[index].whileLoading += commits - max(asked, waiting[index].since ?? asked)
        }
    }

    func answered(_ appended: Appended, on link: SimulatedLink) {
        let isAnswered = { (append: Waiting) in append.link === link && append.last <= appended.throughSequence }
        for append in waiting where isAnswered(append) {
            guard let since = append.since else { continue }
            let commits = simulation.log.commits(in: append.partition) - since - append.whileLoading
            let bound = simulation.bounds.commits(events: append.events)
            if commits > bound {
                simulation.witness.fail(
                    "an append with \(append.events) events waits for \(commits) commits, and \(bound) are enough")
            }
        }
        waiting.removeAll { isAnswered($0) }
    }
}
