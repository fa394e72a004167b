import FocusCore

import struct FocusCore.Cursor

/// A device: it appends events exactly once and holds the user's rows, over connections that come and go.
///
/// Flow: `append` → store → `ClientSession` → connection; connection → `ClientSession` → store → `onUpdate`.
///
/// The client connects when it first needs to, and stays connected until `close`. There is one client per store; of two
/// clients of one device, the newer supersedes the older (rule P8).
public actor SyncClient {
    /// The store that holds the queue and the confirmed rows. It stays open when the client is closed.
    public nonisolated let store: DeviceStore
    public nonisolated let configuration: SyncClientConfiguration
    /// The user, device and scope that the token names, and that the store belongs to.
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
    /// The number of connections so far that got a Welcome.
    var welcomes = 0
    /// The number of the connection whose last checkpoint agreed with the rows. Nil when none has agreed, or when rows
    /// have changed since then.
    var verifiedWelcome: Int?
    var verifiedOnce: Set<Int> = []
    /// The token in use; `configuration` has the first one.
    var token: String
    /// The token that the connection's Hello carried.
    var helloToken = ""
    /// Whether a new token may help when the server refuses the one in use: none was got since the server last accepted
    /// one.
    var tokenMayBeOld = true
    var divergence: Set<RowCollection> = []
    var lastProblem: String?
    var timer: Task<Void, Never>?
    var timerFires = MonotonicTime(milliseconds: .max)
    private var lastWaiter = 0
    private(set) var isClosed = false
    var time = DeviceTime()
    /// The uptime at which the connection's Hello was sent.
    var helloSentAt = Duration.zero
    var view: LocalView
    var observers = RowObservers()
    var outcomeObservers: [Int: OutcomeObserver] = [:]
    var lastOutcomeObserver = 0
    var ringObservers: [Int: AsyncStream<DeviceRing>.Continuation] = [:]
    /// What the device reported last of its use; nil: it is out of use.
    var activity: ReportedActivity?
    /// Whether the last report waits until the session may send it.
    var activityWaits = false
    /// Whether the server of this connection does not know such reports.
    var activityIsUnknown = false
    /// Whether the store has been given rows before.
    var hasRows: Bool
    var peers = ClientPeers()
    /// How many attempts to connect failed in a row.
    var attempts = 0
    /// The wait before the next attempt to connect, while it lasts.
    var pausing: Task<Void, Never>?

    /// Makes a client on a store, and gives a new store its owner. Does not connect.
    /// - Throws: `SyncClientError.tokenUnreadable`, `DeviceStoreError.otherOwner`.
    public init(configuration: SyncClientConfiguration, store: DeviceStore) throws {
        self.configuration = configuration
        self.store = store
        backoff = configuration.backoff
        token = configuration.token
        owner = try TokenContents(reading: configuration.token).owner
        try store.claim(owner)
        hasRows = try store.cursor != nil
        view = LocalView(store: store, owner: owner, collections: configuration.collections)
    }

    // MARK: Appending

    /// Queues an event and returns when it is durable on the device. It is sent as soon as there is a connection. The
    /// rows show what it does, where that can be foreseen; `outcomes` and `refusals` tell what becomes of it.
    /// - Throws: `DeviceStoreError.queueFull`, `payloadTooLarge`, `nameTooLong`, `erased`; `SyncClientError.closed`.
    @discardableResult
    public func append(_ draft: EventDraft) throws -> QueuedEvent {
        let events = try enqueue([draft])
        start()
        guard let event = events.first else { throw SyncClientError.closed }
        return event
    }

    /// Queues an event of this body, as `append(_:)` of a draft does.
    /// - Throws: `DeviceStoreError.queueFull`, `payloadTooLarge`; `SyncClientError.closed`.
    @discardableResult
    public func append(_ body: EventBody, app: AppID? = nil) throws -> QueuedEvent {
        try append(EventDraft(body, app: app))
    }

    /// Queues events durably, and waits until the log has each of them, or its refusal.
    /// - Returns: an outcome for each draft, in order.
    /// - Throws: `DeviceStoreError` when they cannot be queued; `SyncClientError` when the answer does not come: the
    ///   events stay queued and are sent with the next connection.
    public func append(_ drafts: [EventDraft]) async throws -> [AppendOutcome] {
        try await submit(drafts).outcomes()
    }

    /// Queues events durably, and sends them. Does not wait for the answer, which the submission gives.
    /// - Throws: `DeviceStoreError` when they cannot be queued; `SyncClientError.closed`.
    public func submit(_ drafts: [EventDraft]) throws -> Submission {
        let events = try enqueue(drafts)
        return try register(events)
    }

    /// Queues events durably. They are sent on the connection that there is, or on the next one; this call makes none.
    /// - Throws: `DeviceStoreError` when they cannot be queued; `SyncClientError.closed`.
    @discardableResult
    public func enqueue(_ drafts: [EventDraft]) throws -> [QueuedEvent] {
        guard !isClosed else { throw SyncClientError.closed }
        let events = try store.enqueue(drafts, clock: time.now(clock: configuration.clock(), at: DeviceTime.uptime))
        publishQueued(events)
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
        // The task is not cancelled when the answer comes: it then finds the submission gone. It holds the client
        // weakly.
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
    /// checkpoint confirm (rule S9), and the log has what the device gives back to it (rule S6). Queued events may have
    /// no answer by then: see `waitUntilAnswered`.
    /// - Returns: the collections that differed on the way and were fetched afresh; none, unless something is wrong.
    /// - Throws: `SyncClientError.diverged` when they differ again and again; another `SyncClientError` when no
    ///   checkpoint comes.
    @discardableResult
    public func synchronize() async throws -> [RowCollection] {
        divergence = []
        start()
        // On a connection that is verified already, the server may have nothing to send. A new connection begins with
        // what is new, and a checkpoint.
        if verifiedWelcome == welcomes, connection != nil { reconnect() }
        try await wait(for: .verified(connection: verifiedWelcome == welcomes ? welcomes + 1 : max(1, welcomes)))
        return divergence.sorted()
    }

    /// Waits until the rows include everything up to `version`. The version in an `AppendOutcome` includes its event
    /// (rule P7).
    /// - Throws: `SyncClientError`.
    public func synchronize(through version: Version) async throws {
        start()
        try await wait(for: .version(version))
    }

    /// Waits until the server has answered every event that is queued now or while this waits.
    /// - Throws: `SyncClientError`.
    public func waitUntilAnswered() async throws {
        try await wait { try !$0.hasQueued }
    }

    /// Waits until `condition` is true of the store. It is evaluated now, and after every change.
    /// - Throws: `SyncClientError`, and what `condition` throws.
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

    /// Connects, and stays connected until `close` is called, `maximumAttempts` are used up, the store cannot be used, or
    /// the server refuses the device: then `SyncUpdate.stopped` says why. Does nothing if the client is connected or trying
    /// to connect.
    public func start() {
        guard runner == nil, !isClosed else { return }
        fatal = nil
        runner = Task { await self.run() }
    }

    /// Waits while the client is connected or trying to connect. Throws the error that ended that, unless `close` did.
    public func waitUntilStopped() async throws {
        await runner?.value
        if let fatal { throw fatal }
    }

    /// Ends the connection for good: waiting calls fail with `closed`, and sequences end. Nothing is lost: the store
    /// stays open, and its next client sends events without an answer again. To have them sent now, call
    /// `waitUntilAnswered` before. A client that was started and is not closed stays connected.
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
        finishRings()
        finishPeers()
    }

    /// Tells the client that the device has another network, or has one again: the next attempt to connect is made at
    /// once, and earlier failures do not count. A connection that stands is kept; if it went over the old network, it
    /// ends by itself.
    public func networkDidChange() {
        guard !isClosed else { return }
        backoff.succeeded()
        attempts = 0
        pausing?.cancel()
        if runner == nil, case .unreachable = fatal { start() }
    }

    /// Ends the connection and makes another at once.
    public func reconnect() {
        if ending == nil { ending = .reconnect(milliseconds: 0...0, cause: nil) }
        connection?.close()
    }
}
