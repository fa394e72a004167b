import DequeModule
import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Waits

/// A thread beside a lane that does one kind of work, over a connection of its own, so that no append waits for it. It
/// connects when there is work for the first time.
///
/// Work of users takes turns by what was done for each (`WorkAccounts`); a long piece of it is done in several turns.
///
/// What waits here is bounded by who hands it over: a partition has one batch under way, a session a few questions.
final class StoreThread<Work: Sendable>: Sendable {
    /// Nil ends the thread.
    private let mailbox = Mailbox<Work?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let name: String
    private let priority: LaneThread.Priority
    private let restPerWork: Double
    private let configuration: StoreConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let owner: @Sendable (Work) -> UserID?
    private let perform: @Sendable (Work, StoreConnection) -> (rest: Work?, work: Int)

    /// - Parameters:
    ///   - name: the thread's, of at most 15 bytes.
    ///   - priority: of the thread. The database does its work like all other: whoever is kept from a processor there
    ///     may hold a lock that others wait for.
    ///   - restPerWork: how many microseconds a user's next piece of work waits for each unit of `Work` of the last one,
    ///     as long as nobody else's work waits. A rest is not timed by the clock: the database may have been away.
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - owner: whose a piece of work is; nil: nobody's. Work of nobody is done in the order in which it came.
    ///   - perform: called on the thread, with one piece of work after the other. Gives what is left of it for a later
    ///     turn, and how much was done, in units of `Work`.
    init(
        _ name: String, _ configuration: StoreConfiguration, priority: LaneThread.Priority = .usual,
        restPerWork: Double = 0, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        owner: @escaping @Sendable (Work) -> UserID?,
        perform: @escaping @Sendable (Work, StoreConnection) -> (rest: Work?, work: Int)
    ) {
        self.name = name
        (self.priority, self.restPerWork) = (priority, restPerWork)
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        (self.owner, self.perform) = (owner, perform)
    }

    /// A thread whose work is nobody's.
    convenience init(
        _ name: String, _ configuration: StoreConfiguration, priority: LaneThread.Priority = .usual, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool, perform: @escaping @Sendable (Work, StoreConnection) -> Void
    ) {
        self.init(
            name, configuration, priority: priority, logger: logger, isStopping: isStopping, owner: { _ in nil }
        ) { work, store in
            perform(work, store)
            return (nil, 0)
        }
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: name, priority: priority) { [self] in run() } }
    }

    func post(_ work: Work) { mailbox.post(work) }

    /// Ends the thread; blocks until then. Work that waits is not done any more.
    func stop() {
        mailbox.post(nil)
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let (name, logger) = (name, logger)
        let store = StoreConnection(
            configuration, isStopping: isStopping,
            onTrouble: { logger.warning("\(name) lacks the database", metadata: ["error": "\($0)"]) })
        defer { store.close() }
        var waiting = WorkAccounts<UserID?, Deque<Work>>(goneLimit: 1_024)
        // Whose work was done last, and until when they rest if nobody else waits.
        var last: (owner: UserID?, restsUntil: Deadline)?
        var pause = Deadline.passed
        while true {
            for work in mailbox.receive(until: waiting.isEmpty ? nil : pause) {
                guard let work else { return }
                waiting.wait(owner(work), opening: [])
                waiting.with(owner(work)) { $0.append(work) }
            }
            pause = .passed
            guard let owner = waiting.next() else { continue }
            if let last, last.owner == owner, waiting.isEmpty, !last.restsUntil.isPassed {
                waiting.putBack(owner)
                pause = last.restsUntil
                continue
            }
            guard let work = waiting.with(owner, { $0.popFirst() }) ?? nil else { continue }
            guard !isStopping() else { return }
            let (rest, done) = perform(work, store)
            last = (owner, .after(seconds: restPerWork * Double(done) / 1e6))
            if let rest { waiting.with(owner) { $0.prepend(rest) } }
            let waits = waiting.with(owner) { !$0.isEmpty } ?? false
            waiting.endTurn(of: owner, work: done, waits: waits)
        }
    }
}
