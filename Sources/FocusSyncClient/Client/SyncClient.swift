import FocusCore

import struct FocusCore.Cursor

/// A device: appends events exactly once and holds the user's rows, over connections that come and go.
///
/// Flow: `append` → store → `ClientSession` → connection; connection → `ClientSession` → store → `onUpdate`.
///
/// Connects when first needed and stays connected until `close`. One client per store; two at the same time for one
/// device supersede each other (rule P8).
public actor SyncClient {
    public nonisolated let store: DeviceStore
    public nonisolated let configuration: SyncClientConfiguration
    /// Whom the token, and so the store, belongs to.
    public nonisolated let owner: DeviceOwner
    private let executor = ClientExecutor()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var session: ClientSession?
    var connection: SyncConnection?
    var backoff: ReconnectBackoff
    var runner: Task<Void, Never>?
    /// Why the connection ended; set by the session, read by the loop that serves it.
    var ending: ClientEnd?
    var fatal: SyncClientError?
    var submissions = PendingSubmissions()
    var waiters = Waiters()
    var fetches = PendingFetches()
    /// Counts connections that got a Welcome.
    var welcomes = 0
    /// The connection whose last checkpoint agreed with the rows as they are.
    var verifiedWelcome: Int?
    var verifiedOnce: Set<Int> = []
    /// The token in use; `configuration` has the first.
    var token: String
    /// No new token was got since the last Welcome: when the server refuses it, a new one may help.
    var tokenMayBeOld = true
    var divergence: Set<RowCollection> = []
    var lastProblem: String?
    var timer: Task<Void, Never>?
    var timerFires = MonotonicTime(milliseconds: .max)
    private var lastWaiter = 0
    private(set) var isClosed = false
    var time = DeviceTime()
    /// When the connection's Hello went out.
    var helloSentAt = Duration.zero
    var view: LocalView
    var observers = RowObservers()
    var outcomeObservers: [Int: OutcomeObserver] = [:]
    var lastOutcomeObserver = 0
    var peers = ClientPeers()
    /// The wait before the next attempt to connect.
    var pausing: Task<Void, Never>?

    /// - Throws: `SyncClientError.tokenUnreadable`, `DeviceStoreError.otherOwner`.
    public init(configuration: SyncClientConfiguration, store: DeviceStore) throws {
        self.configuration = configuration
        self.store = store
        backoff = configuration.backoff
        token = configuration.token
        owner = try TokenContents(reading: configuration.token).owner
        try store.claim(owner)
        view = LocalView(store: store, owner: owner, collections: configuration.collections)
    }

    // MARK: Appending

    /// Queues an event, durably, and returns at once; it is sent when there is a connection, and the rows show what it
    /// does where that can be foreseen. What becomes of it: `outcomes`, `refusals`.
    /// - Throws: `DeviceStoreError.queueFull`, `payloadTooLarge`; `SyncClientError.closed`.
    @discardableResult
    public func append(_ draft: EventDraft) throws -> QueuedEvent {
        let events = try enqueue([draft])
        start()
        guard let event = events.first else { throw SyncClientError.closed }
        return event
    }

    /// The same, of an event's body.
    @discardableResult
    public func append(_ body: EventBody, app: AppID? = nil) throws -> QueuedEvent {
        try append(EventDraft(body, app: app))
    }

    /// Queues events, durably, and waits until the log has them, or refusals in their places.
    /// - Returns: an outcome for each draft, in order.
    /// - Throws: `DeviceStoreError` when they cannot be queued; `SyncClientError` when the answer does not come: the
    ///   events stay queued and are sent with the next connection.
    public func append(_ drafts: [EventDraft]) async throws -> [AppendOutcome] {
        try await submit(drafts).outcomes()
    }

    /// Queues events, durably, and sends them; does not wait.
    public func submit(_ drafts: [EventDraft]) throws -> Submission {
        let events = try enqueue(drafts)
        return try register(events)
    }

    /// Queues events, durably, for the next connection. Connects to nothing.
    @discardableResult
    public func enqueue(_ drafts: [EventDraft]) throws -> [QueuedEvent] {
        guard !isClosed else { throw SyncClientError.closed }
        let events = try store.enqueue(drafts, clock: time.now(clock: configuration.clock(), at: DeviceTime.uptime))
        noteQueued(events)
        if let last = events.last { perform { $0.queued(through: last.sequence) } }
        return events
    }

    /// Sends what earlier runs left in the queue.
    /// - Throws: `SyncClientError.closed`.
    public func submitQueued() throws -> Submission {
        try register(try store.queued())
    }

    private func register(_ events: [QueuedEvent]) throws(SyncClientError) -> Submission {
        guard !isClosed else { throw .closed }
        let (id, submission) = submissions.add(events)
        guard !events.isEmpty else { return submission }
        start()
        let timeout = configuration.timeout
        // Weak, and not cancelled: a submission that was answered meanwhile is not found any more.
        Task { [weak self] in
            try await Task.sleep(for: timeout)
            await self?.expire(submission: id)
        }
        return submission
    }

    private func expire(submission id: Int) {
        submissions.fail(id, .timedOut(after: configuration.timeout, lastProblem: lastProblem))
    }

    // MARK: Rows

    /// Waits until the device's rows are those that the server has at some moment after this call, as the digests of a
    /// checkpoint confirm (rule S9).
    /// - Returns: the collections that differed on the way and were fetched afresh; none, unless something is wrong.
    /// - Throws: `SyncClientError.diverged` when they differ again and again.
    @discardableResult
    public func synchronize() async throws -> [RowCollection] {
        divergence = []
        start()
        // On a connection that is verified already the server need not speak again; a new one begins with what is new.
        if verifiedWelcome == welcomes, connection != nil { reconnect() }
        try await wait(for: .verified(connection: verifiedWelcome == welcomes ? welcomes + 1 : max(1, welcomes)))
        return divergence.sorted()
    }

    /// Waits until everything up to `version` was applied. Version v of an `AppendOutcome` includes its event.
    public func synchronize(through version: Version) async throws {
        start()
        try await wait(for: .version(version))
    }

    /// Waits until the server has answered every event that is queued now or meanwhile.
    public func waitUntilSent() async throws {
        try await wait { try !$0.hasQueued }
    }

    /// Waits until `condition` holds of the store; it is asked now, and after every change.
    public func wait(until condition: @escaping @Sendable (DeviceStore) throws -> Bool) async throws {
        start()
        try await wait(for: .rows(condition))
    }

    /// The confirmed rows, ordered by key.
    public nonisolated func rows(in collection: RowCollection? = nil) throws -> [ConfirmedRow] {
        try store.rows(in: collection)
    }

    private func wait(for condition: Waiters.Condition) async throws {
        guard !isClosed else { throw SyncClientError.closed }
        lastWaiter += 1
        let id = lastWaiter
        let timeout = configuration.timeout
        let timeoutTask = Task { [weak self] in
            try await Task.sleep(for: timeout)
            await self?.expire(waiter: id)
        }
        defer { timeoutTask.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { done in
                waiters.add(id, condition, done)
                checkWaiters()
            }
        } onCancel: {
            Task { await self.cancel(waiter: id) }
        }
    }

    private func expire(waiter id: Int) {
        waiters.fail(id, SyncClientError.timedOut(after: configuration.timeout, lastProblem: lastProblem))
    }

    private func cancel(waiter id: Int) { waiters.fail(id, CancellationError()) }

    // MARK: Life

    /// Connects, and stays connected until `close`, the attempts are used up, or the server refuses the device.
    public func start() {
        guard runner == nil, !isClosed else { return }
        fatal = nil
        runner = Task { await self.run() }
    }

    /// Waits while the client is connected or trying to; throws what ended that, if it was not `close`.
    public func waitUntilStopped() async throws {
        await runner?.value
        if let fatal { throw fatal }
    }

    /// Ends the connection; waiting calls fail with `closed`, sequences end. Nothing is lost: events without an answer
    /// are sent again by the next client of the store, which stays open. Call `waitUntilSent` before to have them sent
    /// now. A client that was started and is not closed stays connected.
    public func close() async {
        isClosed = true
        timer?.cancel()
        runner?.cancel()
        pausing?.cancel()
        if let connection {
            connection.send(.bye)
            connection.close()
            await connection.waitUntilClosed()
        }
        await runner?.value
        submissions.failAll(.closed)
        waiters.failAll(SyncClientError.closed)
        fetches.failAll(SyncClientError.closed)
        finishObservers()
        finishPeers()
    }

    /// The device got another network, or got one back: the next attempt to connect is made at once, and failures so
    /// far do not count. A connection that stands is kept; if the old network carried it, it ends by itself.
    public func networkDidChange() {
        guard !isClosed else { return }
        backoff.succeeded()
        pausing?.cancel()
        if runner == nil, case .unreachable = fatal { start() }
    }

    /// Ends the connection and begins another at once.
    public func reconnect() {
        if ending == nil { ending = .reconnect(milliseconds: 0...0, cause: nil) }
        connection?.close()
    }
}
