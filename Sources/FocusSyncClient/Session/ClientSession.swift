import FocusCore

/// One connection's side of the protocol on the device, without the connection: messages and moments in, actions out.
///
/// Flow: `idle` → `awaitingWelcome` → `live` → `closed`; every state may go to `closed`.
///
/// A copyable value: tests feed messages and compare actions.
public struct ClientSession: Sendable {
    enum State: Hashable, Sendable {
        /// → awaitingWelcome, closed
        case idle
        /// → live, closed
        case awaitingWelcome
        /// → closed
        case live
        case closed
    }

    /// No Welcome within this: the connection is given up.
    public static let welcomeMilliseconds: Int64 = 15_000
    /// Appends may have to wait for hours (rule P10); rows come meanwhile, and a connection is not put off for longer.
    public static let maximumWaitMilliseconds: Int64 = 60_000
    /// So long a connection is kept whose server does not know Recall: the log's format may have been raised meanwhile.
    static let recallWaitMilliseconds: Int64 = 300_000
    /// After so many snapshots in a row that left a difference the session only reports (rule S9: never silent, never a
    /// storm).
    public static let maximumResyncs = 3

    var state = State.idle
    let hello: Hello
    var sender: AppendSender
    private var now = MonotonicTime(milliseconds: 0)
    private var silenceEnds = MonotonicTime(milliseconds: .max)
    private var heartbeatMilliseconds: Int64 = 25_000
    private var resyncs = 0
    /// Rows were asked for afresh and have not come: checkpoints until then are about the rows of before.
    private var awaitsResync = false
    /// Of the snapshot under way; none: all.
    private var snapshotCollections: [RowCollection] = []
    /// A Renew was sent and not answered (rule A2).
    var isRenewing = false
    /// The log lost its tail and gets it back (rule S6); appends wait.
    var healing: HealingSender?
    /// The log is asked about events without an answer (rule P10); appends wait.
    var recalling: RecallSender?
    /// It should be, and the server does not know how: appends wait for another one, which is looked for then.
    var waitsForRecall: MonotonicTime?
    /// Of the connection; from Welcome on.
    private(set) var protocolVersion: UInt32 = 1
    /// Incarnations that take no further event.
    let ended: [EndedIncarnation]
    var ending = Ending()
    let isRecalling: Bool
    private let isHealing: Bool
    private let answered: EventID?
    private let log: LogID?

    /// - Parameters:
    ///   - queue: the sequences of the incarnation that `hello` names.
    ///   - answered: the event at `queue.acknowledged`, if the store knows it.
    ///   - isHealing: a healing was begun on another connection and not finished (rule S6).
    ///   - isRecalling: recalling was begun on another connection and not finished (rule P10).
    ///   - ended: earlier incarnations that the log was told to end, by their place.
    ///   - log: of the last Welcome; nil: the cursor's.
    public init(
        hello: Hello, queue: QueueRange, answered: EventID? = nil, isHealing: Bool = false, isRecalling: Bool = false,
        ended: [EndedIncarnation] = [], log: LogID? = nil
    ) {
        self.hello = hello
        self.answered = answered
        self.log = log ?? hello.cursor?.log
        self.isHealing = isHealing
        self.isRecalling = isRecalling
        self.ended = ended
        sender = AppendSender(queue)
    }

    public var isClosed: Bool { state == .closed }

    /// When `tick` must be called next.
    public var deadline: MonotonicTime {
        switch state {
        case .idle, .closed: MonotonicTime(milliseconds: .max)
        case .awaitingWelcome: silenceEnds
        case .live:
            [sender.resumesAt, healing?.resumesAt, recalling?.resumesAt, waitsForRecall].compactMap { $0 }
                .reduce(silenceEnds) { min($0, $1) }
        }
    }

    // MARK: Input

    public mutating func connected(now: MonotonicTime) -> [ClientAction] {
        guard state == .idle else { return [] }
        self.now = now
        state = .awaitingWelcome
        silenceEnds = now.adding(milliseconds: Self.welcomeMilliseconds)
        return [.send(.hello(hello))]
    }

    public mutating func receive(_ message: ServerMessage, now: MonotonicTime) -> [ClientAction] {
        self.now = now
        switch state {
        case .idle, .closed: return []
        case .awaitingWelcome: return receiveFirst(message)
        case .live:
            // Rule F4: whatever is heard counts.
            silenceEnds = now.adding(milliseconds: 2 * heartbeatMilliseconds + heartbeatMilliseconds / 5)
            return receiveLive(message)
        }
    }

    /// Events were put into the queue; `last` is the newest.
    public mutating func queued(through last: DeviceSequence) -> [ClientAction] {
        sender.queued(through: last)
        return appendNext()
    }

    /// The answer to `sendAppend`: one frame went out, with the events after `after` up to `last`.
    public mutating func appendSent(after: DeviceSequence, through last: DeviceSequence) -> [ClientAction] {
        guard state == .live else { return [] }
        sender.sent(after: after, through: last)
        return appendNext()
    }

    /// The answer to `compare`: the collections whose digests differ.
    public mutating func compared(_ cursor: Cursor, differing: [RowCollection]) -> [ClientAction] {
        guard state == .live else { return [] }
        guard !differing.isEmpty else {
            resyncs = 0
            return [.report(.verified(cursor))]
        }
        guard !awaitsResync else { return [] }
        guard resyncs < Self.maximumResyncs else { return [.report(.stillDiverged(differing))] }
        resyncs += 1
        // Rows come only for collections that the view holds; for others the server sends another checkpoint.
        awaitsResync = differing.contains { hello.collections.isEmpty || hello.collections.contains($0) }
        return [.report(.diverged(differing)), .send(.resync(differing))]
    }

    public mutating func disconnected() -> [ClientAction] {
        guard state != .closed else { return [] }
        let resumesAt = healing?.resumesAt ?? recalling?.resumesAt ?? sender.resumesAt
        let wait = resumesAt.map { min(max(0, $0 - now), Self.maximumWaitMilliseconds) }
        state = .closed
        return [.end(.reconnect(milliseconds: wait.map { $0...2 * $0 }, cause: nil))]
    }

    /// Called at `deadline` or later.
    public mutating func tick(now: MonotonicTime) -> [ClientAction] {
        self.now = now
        guard state == .awaitingWelcome || state == .live else { return [] }
        if now >= silenceEnds {
            let silent = ProtocolError(.heartbeatTimeout, "The server was silent for too long.")
            return end(.reconnect(milliseconds: nil, cause: silent))
        }
        guard state == .live else { return [] }
        if let time = waitsForRecall, time <= now { return end(.reconnect(milliseconds: nil, cause: nil)) }
        if healing != nil { return resumeHealing(now: now) }
        if recalling != nil { return resumeRecalling(now: now) }
        guard mayAppend, sender.resume(now: now) else { return [] }
        return appendNext()
    }

    // MARK: Messages

    private mutating func receiveFirst(_ message: ServerMessage) -> [ClientAction] {
        switch message {
        case .welcome(let welcome): return receiveWelcome(welcome)
        case .error(let error): return receiveError(error)
        case .goAway(let goAway): return receiveGoAway(goAway)
        case .ping, .pong, .tokenExpiry, .unknown: return []
        case .appended, .recalled, .snapshotBegin, .snapshotRows, .snapshotEnd, .deltaBegin, .deltaRows, .deltaEnd,
            .delta, .checkpoint, .fetched, .peerStatuses:
            return end(.failed(ProtocolError(.malformedFrame, "The server spoke before Welcome.")))
        }
    }

    private mutating func receiveWelcome(_ welcome: Welcome) -> [ClientAction] {
        state = .live
        protocolVersion = welcome.protocolVersion
        heartbeatMilliseconds = max(1_000, Int64(welcome.heartbeatMilliseconds))
        silenceEnds = now.adding(milliseconds: 2 * heartbeatMilliseconds + heartbeatMilliseconds / 5)
        let queue = sender.queue
        let isOtherLog = log.map { $0 != welcome.log } ?? false
        // An incarnation that began with a healing has nothing acknowledged by which another log would show, and would
        // offer it the events of this one some time (rule S6).
        let lacks = welcome.lastSequence < queue.acknowledged || hasOther(welcome)
        if isOtherLog, isHealing || isRecalling || lacks {
            return beginIncarnation(.otherLog(logged: welcome.lastSequence, acknowledged: queue.acknowledged))
        }
        sender.open(welcome)
        let reason = reasonToLeave(welcome)
        if !isOtherLog, welcome.logIsBehind || lacks || isHealing { return beginHealing(welcome, leaves: reason) }
        let welcomed = ClientAction.report(.welcomed(welcome))
        if isRecalling { return [welcomed] + startRecalling(offersHeld: true) }
        if let reason {
            return queue.isEmpty ? beginIncarnation(reason) : [welcomed] + leaveHere(reason, offersHeld: true)
        }
        // Events that the log has and whose answer was lost are sent again all the same: the answer comes again
        // (rule P2), and a store restored from a backup shows itself by a conflict.
        if protocolVersion >= 2, queue.acknowledged == .zero { ending.left = ended.map(\.incarnation) }
        return [welcomed] + appendNext()
    }

    /// Why the incarnation cannot be continued, as far as Welcome tells. The ids of unanswered events are not judged by
    /// it: the answer to the first that is sent says more.
    private func reasonToLeave(_ welcome: Welcome) -> IncarnationReason? {
        if welcome.lastSequence > sender.queue.last {
            return .storeBehind(logged: welcome.lastSequence, known: sender.queue.last)
        }
        if welcome.isEnded { return .ended }
        return hasOther(welcome) ? .conflict(at: welcome.lastSequence) : nil
    }

    /// Whether the log has another event where the last one was acknowledged: it lost its tail, and a copy of this store
    /// appended to it. One that it cannot name is none.
    private func hasOther(_ welcome: Welcome) -> Bool {
        guard let answered, let event = welcome.lastEvent, welcome.lastSequence == sender.queue.acknowledged
        else { return false }
        return event != answered
    }

    private mutating func receiveLive(_ message: ServerMessage) -> [ClientAction] {
        switch message {
        case .appended(let appended) where healing != nil: return receiveHealed(appended)
        // Nothing was appended.
        case .appended where !mayAppend: return []
        case .recalled(let recalled): return receive(recalled)
        case .appended(let appended):
            guard appended.throughSequence <= sender.queue.last else {
                return leave(.storeBehind(logged: appended.throughSequence, known: sender.queue.last))
            }
            sender.acknowledged(through: appended.throughSequence)
            return [.acknowledge(appended)] + appendNext()
        case .snapshotBegin(_, let collections):
            snapshotCollections = collections
            return [.beginStaging]
        case .deltaBegin: return [.beginStaging]
        case .snapshotRows(let rows), .deltaRows(let rows): return [.stage(rows)]
        case .snapshotEnd(let cursor):
            awaitsResync = false
            return [.finishSnapshot(cursor, replacing: snapshotCollections), .send(.ack(cursor.version))]
        case .deltaEnd(let cursor): return [.finishDelta(cursor), .send(.ack(cursor.version))]
        case .delta(_, let rows, let cursor): return [.apply(rows, cursor), .send(.ack(cursor.version))]
        case .checkpoint(let cursor, let digests): return [.compare(cursor, digests)]
        // The connection has answered it.
        case .ping, .pong, .unknown: return []
        case .peerStatuses(let statuses): return [.peers(statuses)]
        case .tokenExpiry(let expiry, let serverTime): return receiveExpiry(expiry, serverTime)
        case .fetched(let fetched): return [.fetched(fetched)]
        case .error(let error): return receiveError(error)
        case .goAway(let goAway): return receiveGoAway(goAway)
        case .welcome: return end(.failed(ProtocolError(.malformedFrame, "The server said Welcome twice.")))
        }
    }

    // MARK: Ends

    mutating func beginIncarnation(_ reason: IncarnationReason) -> [ClientAction] {
        [.beginIncarnation(reason)] + reconnectNow()
    }

    mutating func end(_ end: ClientEnd) -> [ClientAction] {
        state = .closed
        return [.end(end)]
    }

    var mayAppend: Bool { state == .live && healing == nil && recalling == nil && waitsForRecall == nil }

    var currentTime: MonotonicTime { now }
}
