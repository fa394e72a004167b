import EventStore
import FocusCore
import NIOConcurrencyHelpers
import Waits

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

/// Folds dear events beside the lane, so that nobody but their own users waits for them (rule Q1). Next is that of the
/// user for whom least was folded (`WorkAccounts`). What it answers is taken up as what the `Loader` answers: it is the
/// user's state as of the event.
final class Folder: Sendable {
    private enum Order: Sendable {
        case fold(FoldTask)
        /// Takes time in proportion to the states, when the order is dropped.
        case discard([UserState])
        case end
    }

    private let mailbox = Mailbox<Order>()
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

    func post(_ task: FoldTask) { mailbox.post(.fold(task)) }

    func discard(_ states: [UserState]) { mailbox.post(.discard(states)) }

    /// Ends the thread; blocks until then. What waits is not folded any more: the log has it.
    func stop() {
        mailbox.post(.end)
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        var waiting = WorkAccounts<UserID, FoldTask?>(goneLimit: 1_024)
        while true {
            for order in mailbox.receive(until: waiting.isEmpty ? nil : .passed) {
                switch order {
                case .fold(let task):
                    // One that waits already is of before the lane started over: nobody awaits its answer.
                    waiting.wait(task.user.state.user, opening: nil)
                    waiting.with(task.user.state.user) { $0 = task }
                case .discard: break
                case .end: return
                }
            }
            // It is taken out, so that its state is nobody else's when it changes: it would be copied.
            guard let user = waiting.next(), var task = waiting.with(user, { $0.take() }) ?? nil else { continue }
            guard !isStopping() else { return }
            let before = task.user.state.work
            let answer = task.answer()
            waiting.endTurn(of: user, work: task.user.state.work - before, waits: false)
            report(answer)
        }
    }
}
