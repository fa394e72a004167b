import DequeModule
import FocusCore

/// Append frames that wait for the next statement, or for their users.
///
/// Next is a frame of the user for whom least was done, and there of the device for which least was (`WorkAccounts`).
/// So a device that sends much dear work waits for it itself, and delays its user's other devices and other users by a
/// turn at most (rule Q1). One event can be dearer than a turn, and cannot be divided; its device rests for a while, so
/// that such events take little of the lane's time. The frames of a session keep their order, and so do their answers (rule P6).
struct AppendQueue {
    /// What became of a frame that `next` returned.
    enum Step {
        /// The frame is staged or answered.
        case done
        /// A part of the frame is staged; later frames of its session wait until what is left of it is put back.
        case begun
        /// The frame waits until everything staged before it is committed; later frames of its session wait behind it.
        case postponed
        /// The frame waits until this user is loaded. So do all frames of the user, which need no turn meanwhile.
        case awaits(UserID)
        /// The frame waits with its session (`LaneSession.looksUp`), for which places are looked up in the log.
        case joins(LaneSession, work: Int)
    }

    /// The frames of a session, oldest first.
    private struct Line {
        enum Place {
            /// It is in `unplaced`: whose it is was not asked yet.
            case unplaced
            /// It waits for a turn, in the account of its device.
            case placed
            /// It has its turn, or stands aside until the statement is staged.
            case aside
            /// It is in `awaiting`.
            case awaiting
            /// It is in `resting`.
            case resting

            /// Whether its frames wait for a statement.
            var isReady: Bool { self != .awaiting && self != .resting }
        }

        var frames: Deque<PendingAppend> = []
        var place = Place.unplaced
    }

    /// The sessions of a device whose lines wait for a turn, in the order of their turns.
    private typealias Devices = WorkAccounts<DeviceID, Deque<UInt64>>

    /// How many users, and devices of a user, are remembered for what they owe.
    private static let (goneUsers, goneDevices) = (4_096, 64)

    private var lines: [UInt64: Line] = [:]
    /// Sessions with frames, which get their place with the next statement.
    private var unplaced: Deque<UInt64> = []
    private var users = WorkAccounts<UserID, Devices>(goneLimit: goneUsers)
    /// The sessions whose users are being loaded, in their order.
    private var awaiting: [UserID: [UInt64]] = [:]
    /// The devices that rest or are held back.
    private var resting: [Owner: Rest] = [:]
    /// The first end of those rests, and how many sessions with frames wait for any: thousands may rest, and are not
    /// looked through in every turn.
    private var (firstRestEnds, restingSessions): (MonotonicTime?, Int) = (nil, 0)
    /// The sessions that stand aside until the statement is staged.
    private var postponed: [UInt64] = []
    /// Whose frame was returned last.
    private var turn: (user: UserID, device: DeviceID, session: UInt64)?

    private struct Owner: Hashable {
        var user: UserID
        var device: DeviceID
    }

    private struct Rest {
        /// Until when the device rests, and until when it is held back.
        var (restsUntil, heldUntil) = (MonotonicTime(milliseconds: .min), MonotonicTime(milliseconds: .min))
        /// Its sessions with frames.
        var sessions: [UInt64] = []

        var end: MonotonicTime { max(restsUntil, heldUntil) }
    }

    /// How many frames wait for a statement.
    private(set) var count = 0

    /// Whether no frame waits for a statement.
    var isEmpty: Bool { count == 0 }
    /// The sessions with frames that wait for a statement, each once and in no order.
    var sessions: some Sequence<UInt64> { lines.lazy.filter { $0.value.place.isReady }.map(\.key) }
    /// The users who are waited for.
    var awaited: some Collection<UserID> { awaiting.keys }

    /// The session's frames that wait here, oldest first.
    func frames(of session: UInt64) -> some Sequence<PendingAppend> { lines[session]?.frames ?? [] }

    // MARK: Waiting

    mutating func enqueue(_ frame: PendingAppend) {
        if lines[frame.session] == nil { unplaced.append(frame.session) }
        add(1, to: frame.session) { $0.append(frame) }
    }

    /// Puts frames that were taken out back before all others of their sessions, in their order.
    mutating func putBack(_ some: [PendingAppend]) {
        for frame in some.reversed() {
            if lines[frame.session] == nil { unplaced.prepend(frame.session) }
            add(1, to: frame.session) { $0.prepend(frame) }
        }
    }

    private mutating func add(_ number: Int, to session: UInt64, _ change: (inout Deque<PendingAppend>) -> Void) {
        change(&lines[session, default: Line()].frames)
        if lines[session]?.place.isReady ?? false { count += number }
    }

    mutating func removeAll() -> [PendingAppend] {
        defer { self = AppendQueue() }
        return lines.keys.sorted().flatMap { lines[$0]?.frames ?? [] }
    }

    /// Removes and returns the frames for which `isRemoved` is true, those of a session in their order.
    mutating func remove(where isRemoved: (PendingAppend) -> Bool) -> [PendingAppend] {
        let ended = awaiting.filter { $0.value.contains { lines[$0]?.frames.contains(where: isRemoved) ?? false } }
        endWaits { ended[$0] == nil }
        var removed: [PendingAppend] = []
        for session in lines.keys.sorted() {
            let found = lines[session]?.frames.filter(isRemoved) ?? []
            guard !found.isEmpty else { continue }
            removed += found
            // The line stays where it is, even without frames: a line that came anew might get a second place.
            add(-found.count, to: session) { $0.removeAll(where: isRemoved) }
        }
        return removed
    }

    /// Lets the frames wait for a statement whose users were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    mutating func endWaits(_ isAwaiting: (UserID) -> Bool) {
        guard !awaiting.isEmpty else { return }
        for user in awaiting.keys.filter({ !isAwaiting($0) }).sorted() {
            let sessions = awaiting.removeValue(forKey: user) ?? []
            for session in sessions { count += lines[session]?.frames.count ?? 0 }
            unplace(sessions)
        }
    }

    /// When to look for rests that have ended; nil when no frame waits for one.
    var nextRestEnds: MonotonicTime? { restingSessions > 0 ? firstRestEnds : nil }

    /// Ends the rests whose time is over.
    mutating func endRests(now: MonotonicTime) {
        guard let first = firstRestEnds, first <= now else { return }
        let ended = resting.filter { $0.value.end <= now }
        for (owner, rest) in ended.sorted(by: { ($0.value.end, $0.key.device) < ($1.value.end, $1.key.device) }) {
            resting[owner] = nil
            for session in rest.sessions { count += lines[session]?.frames.count ?? 0 }
            restingSessions -= rest.sessions.count
            unplace(rest.sessions)
        }
        firstRestEnds = resting.values.lazy.map(\.end).min()
    }

    /// Has the device's frames wait until then.
    mutating func rest(_ user: UserID, _ device: DeviceID, until end: MonotonicTime) {
        rest(Owner(user: user, device: device), end) { $0.restsUntil = max($0.restsUntil, end) }
    }

    /// Has them wait until then, or until `endHolds`.
    mutating func hold(_ user: UserID, _ device: DeviceID, until end: MonotonicTime) {
        rest(Owner(user: user, device: device), end) { $0.heldUntil = max($0.heldUntil, end) }
    }

    private mutating func rest(_ owner: Owner, _ end: MonotonicTime, _ change: (inout Rest) -> Void) {
        change(&resting[owner, default: Rest()])
        firstRestEnds = min(firstRestEnds ?? end, end)
    }

    /// Holds no device back any more: those that do not rest go on with the next `endRests`.
    mutating func endHolds(now: MonotonicTime) {
        resting = resting.mapValues { rest in
            var rest = rest
            rest.heldUntil = min(rest.heldUntil, now)
            return rest
        }
        firstRestEnds = resting.values.lazy.map(\.end).min()
    }

    /// Has the sessions get a place with the next statement, before those that came later.
    private mutating func unplace(_ sessions: [UInt64]) {
        for session in sessions.reversed() {
            guard let line = lines[session] else { continue }
            if line.frames.isEmpty {
                lines[session] = nil
            } else {
                lines[session]?.place = .unplaced
                unplaced.prepend(session)
            }
        }
    }

    // MARK: Staging

    /// Gives the sessions that have none a place among those of their device.
    /// - Parameter owner: whose a session is; nil when it has ended.
    /// - Returns: the frames of sessions that have ended, which are dropped.
    mutating func place(_ owner: (UInt64) -> Identity?) -> [PendingAppend] {
        var dropped: [PendingAppend] = []
        while let session = unplaced.popFirst() {
            guard let line = lines[session], line.place == .unplaced else { continue }
            guard let owner = owner(session), !line.frames.isEmpty else {
                count -= line.frames.count
                dropped += line.frames
                lines[session] = nil
                continue
            }
            guard !putsToRest(session, with: Owner(user: owner.user, device: owner.device)) else { continue }
            lines[session]?.place = .placed
            users.wait(owner.user, opening: Devices(goneLimit: Self.goneDevices))
            users.with(owner.user) { devices in
                devices.wait(owner.device, opening: [])
                devices.with(owner.device) { $0.append(session) }
            }
        }
        return dropped
    }

    /// Has the session's frames wait with its device, if that rests. A frame of which only the answer is missing does
    /// not.
    private mutating func putsToRest(_ session: UInt64, with owner: Owner) -> Bool {
        guard resting[owner] != nil, lines[session]?.frames.first?.isTaken != true else { return false }
        count -= lines[session]?.frames.count ?? 0
        lines[session]?.place = .resting
        resting[owner]?.sessions.append(session)
        restingSessions += 1
        return true
    }

    /// Removes and returns the frame whose turn it is; nil when none waits but those that stand aside. `settle` is to
    /// be called with it.
    mutating func next() -> PendingAppend? {
        while let user = users.next() {
            if let (device, session, frame) = next(of: user) {
                turn = (user, device, session)
                lines[session]?.place = .aside
                count -= 1
                return frame
            }
            users.endTurn(of: user, work: 0, waits: false)
        }
        return nil
    }

    private mutating func next(of user: UserID) -> (DeviceID, UInt64, PendingAppend)? {
        while let device = users.with(user, { $0.next() }) ?? nil {
            while let session = pop(device, of: user) {
                if lines[session]?.frames.isEmpty == false, putsToRest(session, with: Owner(user: user, device: device))
                {
                    continue
                }
                if let frame = lines[session]?.frames.popFirst() { return (device, session, frame) }
                lines[session] = nil
            }
            users.with(user) { $0.endTurn(of: device, work: 0, waits: false) }
        }
        return nil
    }

    private mutating func pop(_ device: DeviceID, of user: UserID) -> UInt64? {
        users.with(user) { $0.with(device) { $0.popFirst() } ?? nil } ?? nil
    }

    /// Keeps the frame where `step` says, and charges the work that was done for it to its user and device.
    mutating func settle(_ frame: PendingAppend, _ step: Step, work: Int) {
        guard let (user, device, session) = turn else { return }
        turn = nil
        switch step {
        case .done: goOn(session, of: device, user)
        case .joins(let owner, _):
            owner.looksUp.append(frame)
            goOn(session, of: device, user)
        case .begun: postponed.append(session)
        case .postponed:
            putBack([frame])
            postponed.append(session)
        case .awaits(let user):
            putBack([frame])
            count -= lines[session]?.frames.count ?? 0
            lines[session]?.place = .awaiting
            awaiting[user, default: []].append(session)
        }
        // A turn ends for the device first: whether its user waits follows from it.
        let userWaits = users.with(user) { devices in
            devices.endTurn(of: device, work: work, waits: devices.with(device) { !$0.isEmpty } ?? false)
            return !devices.isEmpty
        }
        users.endTurn(of: user, work: work, waits: userWaits ?? false)
    }

    /// Has the session's next frame wait for a turn, after those of the device's other sessions.
    private mutating func goOn(_ session: UInt64, of device: DeviceID, _ user: UserID) {
        guard lines[session]?.frames.isEmpty == false else {
            lines[session] = nil
            return
        }
        lines[session]?.place = .placed
        users.with(user) { $0.with(device) { $0.append(session) } }
    }

    /// Ends the staging of one statement: what stands aside waits for the next one.
    mutating func putBackPostponed() {
        unplace(postponed)
        postponed = []
    }
}
