import FocusCore
import Foundation

@testable import EventStore

/// Whoever rebuilds the read model: the real `RebuildJob` in processes that die between any two steps. What `Rebuilder`
/// does around it, this does in its place.
final class SimulatedRebuilder {
    /// A process, from its start to its end or death.
    private final class Process {
        var isDead = false
        var workers: [Coroutine] = []
        /// How many of them are at work.
        var working = 0
        var hasFailed = false
    }

    /// The most microseconds between two statements.
    private static let pace = 20_000
    private unowned let simulation: Simulation
    private var random: SeededGenerator
    private var process: Process?
    private var processes: [Process] = []
    /// The fold of whoever begins a rebuild now.
    private(set) var foldVersion = FocusCore.foldVersion

    init(_ simulation: Simulation) {
        self.simulation = simulation
        random = SeededGenerator(seed: simulation.seed, of: "rebuilder")
    }

    private var log: SimulatedLog { simulation.log }

    /// Does what an operator may do now.
    func act() {
        guard process == nil else { return random.once(in: 3) ? die() : () }
        if let unfinished = log.model.unfinished {
            let isHidden = log.model.hidden.contains(unfinished)
            return isHidden && random.once(in: 4) ? log.dropHidden() : resume()
        }
        let kept = log.model.hidden
        if kept.isEmpty || !random.once(in: 3) { return begin() }
        guard random.once(in: 2) else { return log.dropHidden() }
        guard let last = kept.last(where: { !log.locks.isMoving($0) }) else { return }
        log.beginRebuild(last, foldVersion: foldVersion)
        resume()
    }

    /// Sees to it that a right read model is shown in the end.
    func heal() {
        guard !log.isRebuilt(by: foldVersion) else { return }
        if process == nil {
            if log.model.unfinished == nil { begin() } else { resume() }
        }
        simulation.after(1_000_000, rank: 58) { [weak self] in self?.heal() }
    }

    var isSettled: Bool { process == nil && log.isRebuilt(by: foldVersion) }

    /// Ends all threads.
    func end() {
        for process in processes {
            process.isDead = true
            for worker in process.workers { while !worker.isOver { worker.resume() } }
        }
        processes = []
    }

    private func die() {
        simulation.trace("the rebuild dies")
        process?.isDead = true
        process = nil
        tryAgain()
    }

    /// The operator sees that the rebuild has failed, and goes on with it.
    private func tryAgain() {
        simulation.after(random.number(10_000...500_000), rank: 58) { [weak self] in
            guard let self, process == nil, log.model.unfinished != nil else { return }
            resume()
        }
    }

    private func begin() {
        if simulation.plan.raisesFold, !simulation.isHealed, random.once(in: 2) { foldVersion += 1 }
        log.beginRebuild(nil, foldVersion: foldVersion)
        resume()
    }

    // MARK: The process

    private func resume() {
        guard let number = log.model.unfinished, let places = log.model.places[number] else { return }
        simulation.trace("generation \(number) is rebuilt")
        var options = RebuildOptions()
        (options.maximumLoad, options.verifies) = (100, random.once(in: 3))
        options.rules = FoldRules(version: log.model.folds[number] ?? foldVersion)
        let work = RebuildWork(places: places.sorted { $0.key < $1.key }.map(\.value), events: 0) { _ in }
        nonisolated(unsafe) var ids = SeededGenerator(seed: random.next())
        let job = RebuildJob(
            options: options, target: Generation(number), verifies: options.verifies, folds: log.model.folds,
            shown: log.model.shown.mapValues { Generation($0) }, work: work, makeID: { EventID(ids.uuid()) })
        let process = Process()
        (self.process, processes) = (process, processes + [process])
        let count = random.number(1...2)
        run(count, process) {
            try job.prepare(on: $0)
        } then: { [weak self] in
            work.beginCutOver()
            self?.run(count, process) {
                try job.cutOver(on: $0)
            } then: { [weak self] in
                self?.finish(process)
            }
        }
    }

    /// Has so many workers do the work, each over a connection of its own, and goes on when all have done it.
    private func run(
        _ count: Int, _ process: Process, _ work: @escaping (SimulatedConnection) throws -> Void,
        then next: @escaping () -> Void
    ) {
        process.working = count
        for _ in 0..<count {
            let dice = SeededGenerator(seed: random.next())
            let worker = Coroutine { [unowned self] coroutine in
                do {
                    try work(access(process, coroutine, dice).connect {})
                } catch {
                    simulation.trace("a worker of a rebuild ends: \(error)")
                    process.hasFailed = true
                }
            }
            process.workers.append(worker)
            go(on: worker, process, in: 1, then: next)
        }
    }

    private func go(on worker: Coroutine, _ process: Process, in wait: Int, then next: @escaping () -> Void) {
        simulation.after(wait, rank: 58) { [weak self] in
            guard let self, !worker.isOver else { return }
            worker.resume()
            guard worker.isOver else { return self.go(on: worker, process, in: Int(worker.wait), then: next) }
            process.working -= 1
            guard process.working == 0, self.process === process else { return }
            guard process.hasFailed else { return next() }
            self.process = nil
            self.tryAgain()
        }
    }

    private func access(_ process: Process, _ coroutine: Coroutine, _ dice: SeededGenerator) -> SimulatedAccess {
        let access = SimulatedAccess(
            simulation, dice,
            isStopping: { [unowned simulation] in process.isDead || simulation.isOver },
            pause: { if !process.isDead { coroutine.pause(for: $0) } })
        access.willCall = { [unowned self, unowned access] in
            access.sleep(.microseconds(access.random.number(50...Self.pace)))
            guard !simulation.isHealed, access.random.once(in: simulation.plan.rebuildDies) else { return }
            process.isDead = true
            if self.process === process { die() }
        }
        return access
    }

    private func finish(_ process: Process) {
        simulation.trace("the rebuild has ended")
        self.process = nil
        log.finishRebuild()
        if random.once(in: 2) { log.dropHidden() }
    }
}
