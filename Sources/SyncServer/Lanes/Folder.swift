import EventStore
import FocusCore
import NIOConcurrencyHelpers

/// An event that is in the log, and the state of its user before it.
struct FoldTask: Sendable {
    /// That of the question which the answer answers (`PendingLoads.handOver`).
    var number: Int
    /// Its head is that of the partition behind the event.
    var user: LoadedUser
    var event: Event

    /// Folds the event in.
    mutating func answer() -> LoadAnswer {
        let folded = Result<LoadedUser, any Error> {
            try user.apply(event)
            return user
        }
        return LoadAnswer(number: number, found: .success(FoundUsers(loaded: [user.state.user: folded])))
    }
}

/// Folds dear events beside the lane, so that nobody but their own users waits for them (rule Q1). What it answers is
/// taken up as what the `Loader` answers: it is the user's state as of the event.
final class Folder: Sendable {
    /// Nil ends the thread.
    private let mailbox = Mailbox<FoldTask?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let isStopping: @Sendable () -> Bool
    private let report: @Sendable (LoadAnswer) -> Void

    /// - Parameters:
    ///   - isStopping: true ends the thread before what waits is done.
    ///   - report: called on the folder's thread with each answer.
    init(isStopping: @escaping @Sendable () -> Bool, report: @escaping @Sendable (LoadAnswer) -> Void) {
        (self.isStopping, self.report) = (isStopping, report)
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "folder", priority: .background) { [self] in run() } }
    }

    func post(_ task: FoldTask) { mailbox.post(task) }

    /// Ends the thread; blocks until then. What waits is not folded any more: the log has it.
    func stop() {
        mailbox.post(nil)
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        while true {
            // Each is taken out, so that its state is nobody else's when it changes: it would be copied.
            var tasks = Array(mailbox.receive().reversed())
            while let next = tasks.popLast() {
                guard var task = next, !isStopping() else { return }
                report(task.answer())
            }
        }
    }
}
