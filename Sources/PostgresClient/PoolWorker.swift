/// One thread of the pool and its connection.
struct PoolWorker {
    private let queue: PoolQueue
    private let configuration: PostgresConfiguration
    private let patience: Duration
    private var backoff: Backoff
    private var connection: PostgresConnection?

    init(queue: PoolQueue, configuration: PostgresConfiguration, patience: Duration, backoff: Backoff) {
        self.queue = queue
        self.configuration = configuration
        self.patience = patience
        self.backoff = backoff
    }

    /// Runs requests until the queue is closed and empty.
    mutating func run() {
        while let job = queue.pop() {
            do throws(PostgresError) {
                guard let connection = try connect(for: job) else { continue }
                job.run(on: connection)
                // This also drops a connection whose request left a transaction open.
                if !connection.isIdle { drop() }
            } catch {
                job.fail(error)
            }
        }
        drop()
    }

    /// The worker's connection, made if there is none that lives. Nil when the request was cancelled meanwhile.
    private mutating func connect(for job: any PoolWork) throws(PostgresError) -> PostgresConnection? {
        if let connection, connection.checkIsAlive() { return connection }
        drop()
        let deadline = ContinuousClock.now.advanced(by: patience)
        while job.isWaiting {
            do throws(PostgresError) {
                let connection = try PostgresConnection(configuration)
                self.connection = connection
                backoff.reset()
                return connection
            } catch {
                let pause = backoff.next()
                let isHopeless = !error.isTransient || ContinuousClock.now.advanced(by: pause) >= deadline
                if isHopeless || !queue.pause(pause) { throw error }
            }
        }
        return nil
    }

    private mutating func drop() {
        connection?.close()
        connection = nil
    }
}
