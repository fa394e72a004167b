import EventStore
import FocusCore
import PostgresClient

@testable import SyncServer

/// The threads of a server beside its lanes, and how each of its threads reaches the database.
extension SimulatedServer {
    /// A thread's way to the database.
    private func access(_ thread: String, _ lane: Int, _ process: Process) -> SimulatedAccess {
        let dice = SeededGenerator(seed: simulation.seed, of: thread, index * 1_000_000 + lane * 10_000 + lives)
        return SimulatedAccess(
            simulation, dice, rules: FoldRules(version: process.foldVersion),
            isStopping: { [weak self, weak process, unowned simulation] in
                guard let self, let process, self.process === process else { return true }
                return simulation.isOver
            },
            pause: { [weak self, weak process] in
                if let self, let process { wait(Int64($0), process) }
            })
    }

    /// Lets the world go on while a thread of the process waits for the database.
    private func wait(_ microseconds: Int64, _ process: Process) {
        var end = simulation.clock.now + microseconds
        repeat {
            simulation.goOn(until: end)
            end = max(end, pausedUntil)
        } while simulation.clock.now < end && self.process === process && !simulation.isOver
        if self.process === process { step(process) }
    }

    func store(_ lane: Int, _ process: Process) -> SimulatedAccess {
        let access = self.access("store", lane, process)
        access.willCall = { [weak self, weak process] in
            guard let self, let process, self.process === process else { return }
            try self.spend(process)
            self.letAnotherIn()
        }
        access.didPlaceLoads = { [weak self] in
            guard let self, random.once(in: simulation.faults.fallsBackAfterLoads) else { return }
            try simulation.fallBack(in: self)
        }
        access.didSee = { [weak process] in process?.news.append($0) }
        return access
    }

    func projector(_ lane: Int, _ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedProjector {
        let thread = SimulatedThread(self.access("projector", lane, process))
        return SimulatedProjector(
            write: { [unowned self, weak process] batch, done in
                judge(batch, process?.workers[lane].users)
                let (fails, wait) = (random.once(in: simulation.faults.projectionFails), random.number(1_000...200_000))
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    thread.perform {
                        let result = fails ? .failed : Self.written(batch, thread.store)
                        guard self.process === process else { return }
                        done(result)
                        self.wake()
                    }
                }
            },
            report: { mailbox.post(.projected($0, $1)) })
    }

    /// A load takes a while before it sees the log, and a while after that. Nobody gives the answer up: what it saw may
    /// be gone when it comes.
    func loader(_ lane: Int, _ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedLoader {
        let access = self.access("loader", lane, process)
        var seen: [SimulatedAccess.Sight] = []
        access.didSee = { seen.append($0) }
        let thread = SimulatedThread(access)
        return SimulatedLoader(
            ask: { [unowned self, weak process] question in
                let longest = random.once(in: 8) ? 500_000 : 5_000
                let (before, after) = (random.number(50...longest), random.number(50...longest))
                let asked = question.users.map { (partition: $0, user: $1, commits: simulation.log.commits(in: $0)) }
                simulation.after(before, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    thread.perform {
                        seen = []
                        if question.reconnects { thread.store.close() }
                        let found = Result { try thread.store.find(question.users, cursors: question.cursors) }
                        let saw = seen
                        self.answer(after, process) {
                            process.loads += saw
                            for asked in asked {
                                process.waits.loaded(asked.user, in: asked.partition, asked: asked.commits)
                            }
                            mailbox.post(.loaded(LoadAnswer(number: question.number, found: found)))
                        }
                    }
                }
            },
            askAudiences: { [unowned self, weak process] question in
                let wait = random.number(50...50_000)
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    thread.perform {
                        if question.reconnects { thread.store.close() }
                        let found = Result {
                            try thread.store.audiences(question.entries, generation: question.generation)
                        }
                        self.answer(wait, process) {
                            mailbox.post(.audiencesFound(AudienceAnswer(number: question.number, found: found)))
                        }
                    }
                }
            })
    }

    func folder(_ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedFolder {
        SimulatedFolder { [unowned self, weak process] task in
            guard let process else { return }
            let longest = random.once(in: 8) ? 500_000 : 5_000
            var task = task
            let answer = task.answer()
            self.answer(random.number(50...longest), process) { mailbox.post(.loaded(answer)) }
        }
    }

    /// Posts an answer after a while, unless the process dies.
    private func answer(_ wait: Int, _ process: Process, _ post: @escaping () -> Void) {
        guard self.process === process else { return }
        simulation.after(wait, rank: index) { [weak self, weak process] in
            guard let self, let process, self.process === process else { return }
            post()
            wake()
        }
    }

    func placeFinder(_ lane: Int, _ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedPlaceFinder {
        let thread = SimulatedThread(self.access("place-finder", lane, process))
        return SimulatedPlaceFinder(
            ask: { [unowned self, weak process] question, done in
                let wait = random.number(100...200_000)
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    thread.perform {
                        let anchors = question.anchor.map { [question.partition: $0] } ?? [:]
                        let found = try? thread.store.asking(anchors) { try thread.store.places(question) }
                        guard self.process === process else { return }
                        done(found)
                        self.wake()
                    }
                }
            },
            report: { mailbox.post(.placesFound(session: $0, $1)) })
    }

    /// Checks the generation of a batch, and its bounds, which the rows of its last user may exceed.
    private func judge(_ batch: ProjectionBatch, _ users: LaneUsers?) {
        for user in batch.users.compactMap({ users?.resident[$0.user] }) where user.generation != batch.generation {
            simulation.witness.fail(
                "rows that were loaded from generation \(user.generation) are to go into \(batch.generation)")
        }
        guard let bound = simulation.plan.projectionBounds else { return }
        let others = batch.users.dropLast().reduce(0) { $0 + $1.rowCount }
        if batch.users.count > bound || others >= bound {
            simulation.witness.fail(
                "a batch of \(batch.users.count) users and over \(others) rows, where \(bound) are allowed")
        }
    }

    private static func written(_ batch: ProjectionBatch, _ store: StoreConnection) -> ProjectionResult {
        switch try? store.write(batch) {
        case .written(let missing, let checkpoint): .written(missing: missing, checkpoint: checkpoint)
        case .checkpointRegressed: .checkpointRegressed
        case .busy, .otherGeneration, .otherLog, nil: .failed
        case .refused: .refused
        }
    }
}

/// Simulated devices ask for no routes.
final class NoFetcher: LaneFetcher {
    func start() {}
    func post(_ work: FetchWork) { preconditionFailure("no device of the simulation fetches") }
    func stop() {}
}
