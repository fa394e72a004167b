import FocusCore

/// The device's side of the protocol on one connection, without the connection: messages and times in, actions out.
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

    /// How long the session waits for Welcome before it ends the connection, in milliseconds.
    public static let welcomeMilliseconds: Int64 = 15_000
    /// How long, in milliseconds, the server may leave events, questions and offers without an answer while it says other
    /// things. A server bears a database that is away for 30 s (rule G2).
    static let answerMilliseconds: Int64 = 120_000
    /// When appends have to pause and the connection ends, the next connection waits for the end of the pause, but no
    /// longer than this, in milliseconds: appends may pause for hours (rule P10), and rows should come all the same.
    /// Jitter at most doubles it.
    public static let maximumWaitMilliseconds: Int64 = 60_000
    /// How long, in milliseconds, a device that must recall stays connected to a server that does not know Recall. Then
    /// it connects again: an operator may have raised the log's format in the meantime.
    static let recallWaitMilliseconds: Int64 = 300_000
    /// How many times in a row differing rows are asked for afresh; after that the session only reports the difference
    /// (rule S9: never silent, never a storm).
    public static let maximumResyncs = 3

    var state = State.idle
    let hello: Hello
    var sender: AppendSender
    private var now = MonotonicTime(milliseconds: 0)
    private var silenceEnds = MonotonicTime(milliseconds: .max)
    /// When the connection ends unless the server answers; nil while nothing was asked.
    private var answerEnds: MonotonicTime?
    private var heartbeatMilliseconds: Int64 = 25_000
    private var resyncs = 0
    /// Whether the session has sent Resync and has not got the rows yet. Until it has, checkpoints are not compared:
    /// they are about rows that are being replaced.
    private var awaitsResync = false
    /// The collections of the snapshot that is arriving; empty: all of the view.
    private var snapshotCollections: [RowCollection] = []
    /// Whether a Renew was sent and not answered (rule A2).
    var isRenewing = false
    /// Offers the log what it has lost (rule S6). Appends wait until it has ended; nil when nothing is being healed.
    var healing: HealingSender?
    /// Asks the log about unanswered events (rule P10). Appends wait until it has ended; nil when nothing is being
    /// recalled.
    var recalling: RecallSender?
    /// When the session ends the connection to look for another server: unanswered events must be recalled, and this
    /// server does not know Recall. Appends wait until then. Nil when there is no need.
    var waitsForRecall: MonotonicTime?
    /// The version of the protocol that the connection speaks; 1 until Welcome says it.
    private(set) var protocolVersion: UInt32 = 1
    /// The incarnations that the store has ended in its log, in the order of their places.
    let ended: [EndedIncarnation]
    var ending = Ending()
    let isRecalling: Bool
    private let isHealing: Bool
    private let answered: EventID?
    private let log: LogID?

    /// - Parameters:
    ///   - queue: the sequences of the incarnation that `hello` names.
    ///   - answered: the event at `queue.acknowledged`, if the store knows it.
    ///   - isHealing: a healing began on another connection and is not finished (rule S6).
    ///   - isRecalling: recalling began on another connection and is not finished (rule P10).
    ///   - ended: earlier incarnations that `log` was told to end, in the order of their places.
    ///   - log: the log that the last Welcome named; nil: the one in the cursor of `hello`.
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

    /// When `tick` must be called next; `.max` when it need not be called.
    public var deadline: MonotonicTime {
        switch state {
        case .idle, .closed: MonotonicTime(milliseconds: .max)
        case .awaitingWelcome: silenceEnds
        case .live:
            [sender.resumesAt, healing?.resumesAt, recalling?.resumesAt, waitsForRecall, answerEnds].compactMap { $0 }
                .reduce(silenceEnds) { min($0, $1) }
        }
    }

    // MARK: Input

    /// The connection is made: sends Hello.
    public mutating func connected(now: MonotonicTime) -> [ClientAction] {
        guard state == .idle else { return [] }
        self.now = now
        state = .awaitingWelcome
        silenceEnds = now.adding(milliseconds: Self.welcomeMilliseconds)
        return [.send(.hello(hello))]
    }

    /// The server sent this message.
    public mutating func receive(_ message: ServerMessage, now: MonotonicTime) -> [ClientAction] {
        self.now = now
        switch state {
        case .idle, .closed: return []
        case .awaitingWelcome: return receiveFirst(message)
        case .live:
            // Whatever is heard is a sign of life (rule L4).
            silenceEnds = now.adding(milliseconds: 2 * heartbeatMilliseconds + heartbeatMilliseconds / 5)
            defer { awaitAnswer(after: message.isAnswer) }
            return receiveLive(message)
        }
    }

    /// Events were put into the queue; `last` is the newest.
    public mutating func queued(through last: DeviceSequence) -> [ClientAction] {
        sender.queued(through: last)
        return appendNext()
    }

    /// The answer to `sendAppend`: one frame was sent, with the events after `after` up to `last`.
    public mutating func appendSent(after: DeviceSequence, through last: DeviceSequence) -> [ClientAction] {
        guard state == .live else { return [] }
        sender.sent(after: after, through: last)
        awaitAnswer(after: false)
        return appendNext()
    }

    /// Notes until when the server has time to answer what was asked of it: anew with every answer.
    /// - Parameter isAnswered: whether it has just answered something.
    mutating func awaitAnswer(after isAnswered: Bool) {
        let awaits =
            sender.awaitsAnswer || ending.isAsking || healing?.awaitsAnswer == true || recalling?.inFlight != nil
        if !awaits {
            answerEnds = nil
        } else if isAnswered || answerEnds == nil {
            answerEnds = now.adding(milliseconds: Self.answerMilliseconds)
        }
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
        // For a collection that the view does not hold no rows come, only another checkpoint.
        awaitsResync = differing.contains { hello.collections.isEmpty || hello.collections.contains($0) }
        return [.report(.diverged(differing)), .send(.resync(differing))]
    }

    /// The connection was lost.
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
        if let time = answerEnds, time <= now {
            let silent = ProtocolError(.heartbeatTimeout, "The server has not answered for too long.")
            return end(.reconnect(milliseconds: nil, cause: silent))
        }
        if let time = waitsForRecall, time <= now { return end(.reconnect(milliseconds: nil, cause: nil)) }
        if healing != nil { return resumeHealing(now: now) }
        if recalling != nil { return resumeRecalling(now: now) }
        guard sender.resume(now: now) else { return [] }
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
        // An incarnation that began during a healing has nothing acknowledged by which another log would show, and
        // would some time offer that log the events of this one (rule S6).
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
        // Another log knows nothing of them, and each would count as one that begins there.
        if protocolVersion >= 2, !isOtherLog, queue.acknowledged == .zero { ending.left = ended.map(\.incarnation) }
        return [welcomed] + appendNext()
    }

    /// Why the incarnation cannot be continued, as far as Welcome shows. It does not judge by the ids of unanswered
    /// events: the answer to the first one that is sent says more.
    private func reasonToLeave(_ welcome: Welcome) -> IncarnationReason? {
        if welcome.lastSequence > sender.queue.last {
            return .storeBehind(logged: welcome.lastSequence, known: sender.queue.last)
        }
        if welcome.isEnded { return .ended }
        return hasOther(welcome) ? .conflict(at: welcome.lastSequence) : nil
    }

    /// Whether the log has another event at the place of the last acknowledged one: then it lost its tail, and a copy
    /// of this store appended to it. A place whose event the log cannot name counts as having no other one.
    private func hasOther(_ welcome: Welcome) -> Bool {
        guard let answered, let event = welcome.lastEvent, welcome.lastSequence == sender.queue.acknowledged
        else { return false }
        return event != answered
    }

    private mutating func receiveLive(_ message: ServerMessage) -> [ClientAction] {
        switch message {
        case .appended(let appended) where healing != nil: return receiveHealed(appended)
        // Nothing is appended on this connection meanwhile, so this answers nothing of this session.
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
        // `SyncConnection` has answered the ping.
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

    /// Whether messages may be sent that a server may not know: it answers them with `unknown_message` too, which must not
    /// be taken for the answer to a request of healing or recalling.
    var mayReport: Bool {
        state == .live && healing == nil && recalling == nil && waitsForRecall == nil && !ending.isAsking
    }

    var mayAppend: Bool { state == .live && healing == nil && recalling == nil && waitsForRecall == nil }

    var currentTime: MonotonicTime { now }
}
