import EventStore
import FocusCore
import Logging

/// Users that a lane needs in memory.
struct LoadQuestion: Sendable {
    var number: Int
    var users: [(Partition, UserID)]
    /// Those of them of whom an outline may do, with the cursors of the sessions that wait for them.
    var cursors: [UserID: [Cursor]] = [:]
    /// Whether the database is to be reached over a new connection.
    var reconnects: Bool
}

/// The answer to a `LoadQuestion`.
struct LoadAnswer: Sendable {
    var number: Int
    /// What became of the users, but for those who would have taken too much memory together with the others; or why
    /// the database could not be asked.
    var found: Result<FoundUsers, any Error>
}

/// Loads users, or looks them up, beside the lane, so that those whose load takes long delay nobody's appends.
final class Loader: Sendable {
    private enum Work: Sendable {
        case prepare([Partition])
        case load(LoadQuestion)
        case audiences(AudienceQuestion)
    }

    private let partitions: [Partition]
    private let thread: StoreThread<Work>

    /// - Parameters:
    ///   - partitions: those of the lane.
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the loader's thread with each answer.
    ///   - reportAudiences: the same, of audiences.
    init(
        _ partitions: [Partition], configuration: StoreConfiguration, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool, report: @escaping @Sendable (LoadAnswer) -> Void,
        reportAudiences: @escaping @Sendable (AudienceAnswer) -> Void
    ) {
        self.partitions = partitions
        thread = StoreThread("loader", configuration, logger: logger, isStopping: isStopping) { work, store in
            switch work {
            case .prepare(let partitions): Self.prepare(partitions, store, logger)
            case .load(let question):
                if question.reconnects { store.close() }
                let found = Result { try store.find(question.users, cursors: question.cursors) }
                if case .failure(let error) = found {
                    logger.error("users not loaded", metadata: ["error": "\(error)"])
                }
                report(LoadAnswer(number: question.number, found: found))
            case .audiences(let question):
                if question.reconnects { store.close() }
                let found = Result { try store.audiences(question.entries, generation: question.generation) }
                if case .failure(let error) = found {
                    logger.error("audiences not read", metadata: ["error": "\(error)"])
                }
                reportAudiences(AudienceAnswer(number: question.number, found: found))
            }
        }
    }

    func start() {
        thread.start()
        thread.post(.prepare(partitions))
    }

    func post(_ question: LoadQuestion) { thread.post(.load(question)) }

    func post(_ question: AudienceQuestion) { thread.post(.audiences(question)) }

    /// Ends the thread. Questions that wait get no answer: the lane needs nobody any more.
    func stop() { thread.stop() }

    private static func prepare(_ partitions: [Partition], _ store: StoreConnection, _ logger: Logger) {
        do {
            try store.prepareToLoad(partitions)
        } catch {
            // Preparing only makes the first load faster. What is wrong with the database shows again then.
            logger.debug("load not prepared", metadata: ["error": "\(error)"])
        }
    }
}
