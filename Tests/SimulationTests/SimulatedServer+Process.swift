import FocusCore
import NIOCore
import NIOEmbedded

@testable import SyncServer

extension SimulatedServer {
    /// The server from one start to the next death.
    final class Process {
        let loop: EmbeddedEventLoop
        let services: ConnectionServices
        var workers: [LaneWorker]
        var links: [SimulatedLink] = []
        var channels: [EmbeddedChannel] = []
        var nextTurn = Int64.max
        /// Whether a turn is due while another one waits for the database.
        var isTurnDue = false
        /// Positive if the log fell back in the middle of a turn: messages of this turn may be from before, and leave
        /// in the next.
        var staleTurns = 0
        /// The history of the log at the start (see `Simulation.history`).
        let bornIn: Int
        /// The fold of its program: it writes rows only where the same fold has made them.
        let foldVersion: Int32
        /// For each history of the log, the versions up to which the server has certainly read or written each user's
        /// events.
        private var seen: [Int: [UserID: Version]] = [:]
        /// What loads have seen whose answers are posted.
        var loads: [SimulatedAccess.Sight] = []
        /// What the lanes have read and written in the turn under way. It counts from the end of the turn on, because a
        /// lane may wait for the database before it acts upon it.
        var news: [SimulatedAccess.Sight] = []
        /// How many connections were accepted since the lanes last got through a turn.
        var accepted = 0
        /// The appends that were brought to the server and have no answer.
        let waits: WaitingAppends
        /// When the server saw that devices were revoked.
        private(set) var revocations: [DeviceID: Int64] = [:]

        init(
            _ loop: EmbeddedEventLoop, _ services: ConnectionServices, _ waits: WaitingAppends, bornIn history: Int,
            foldVersion: Int32
        ) {
            self.waits = waits
            self.foldVersion = foldVersion
            self.loop = loop
            self.services = services
            workers = []
            bornIn = history
        }

        /// Nil: the server has seen nothing of the user.
        func seen(_ user: UserID, _ history: Int) -> Version? { seen[history]?[user] }

        func forgetHistory() { revocations = [:] }

        /// Stops everything that runs in the process, and breaks its reference cycles.
        func end() {
            for channel in channels where channel.isActive { channel.close(promise: nil) }
            (links, workers, channels) = ([], [], [])
            loop.shutdownGracefully { _ in }
        }

        /// What a load saw counts from the end of the turn on that takes it up.
        func sees(_ sights: [SimulatedAccess.Sight], _ simulation: Simulation) {
            for sight in sights { sees(sight, simulation) }
        }

        private func sees(_ sight: SimulatedAccess.Sight, _ simulation: Simulation) {
            let (user, version) = (sight.user, sight.version)
            if sight.what != .revocations {
                seen[sight.history, default: [:]][user] = max(seen(user, sight.history) ?? .zero, version)
            }
            guard sight.history == simulation.history else { return }
            for device in simulation.devices where device.user == user && revocations[device.id] == nil {
                guard let revoked = simulation.witness.revocations[device.id]?.version,
                    sight.what == .event ? revoked == version : revoked <= version
                else { continue }
                revocations[device.id] = simulation.clock.now
            }
        }
    }
}
