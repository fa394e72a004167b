import EventStore
import Logging
import NIOConcurrencyHelpers

/// A thread beside a lane that does one kind of work, over a connection of its own, so that no append waits for it. It
/// connects when there is work for the first time.
///
/// What waits here is bounded by who hands it over: a partition has one batch under way, a session a few questions.
final class StoreThread<Work: Sendable>: Sendable {
    /// Nil ends the thread.
    private let mailbox = Mailbox<Work?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let name: String
    private let configuration: StoreConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let perform: @Sendable (Work, StoreConnection) -> Void

    /// - Parameters:
    ///   - name: the thread's, of at most 15 bytes.
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - perform: called on the thread, with one piece of work after the other.
    init(
        _ name: String, _ configuration: StoreConfiguration, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool, perform: @escaping @Sendable (Work, StoreConnection) -> Void
    ) {
        self.name = name
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        self.perform = perform
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: name) { [self] in run() } }
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
        while true {
            for work in mailbox.receive() {
                guard let work, !isStopping() else { return }
                perform(work, store)
            }
        }
    }
}
