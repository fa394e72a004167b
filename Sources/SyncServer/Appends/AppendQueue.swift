import DequeModule
import FocusCore

/// Append frames that wait for the next statement, or for their users. The frames of a session keep their order, and so
/// do their answers (rule P6).
struct AppendQueue {
    /// What became of a frame that `next` returned.
    enum Step {
        /// The frame is staged or answered.
        case done
        /// The frame waits until everything staged before it is committed; later frames of its session wait behind it.
        case postponed
        /// The frame waits until this user is loaded. So do all frames of the user.
        case awaits(UserID)
        /// The frame waits with its session (`LaneSession.looksUp`), for which places are looked up in the log.
        case joins(LaneSession)
    }

    private(set) var frames: Deque<PendingAppend> = []
    /// Frames whose users are being loaded, in their order.
    private(set) var awaiting: [UserID: [PendingAppend]] = [:]
    /// Postponed frames, and the later frames of their sessions.
    private var later: [PendingAppend] = []
    /// Sessions with a postponed frame.
    private var postponed: Set<UInt64> = []
    /// Whether no frame waits for a statement.
    var isEmpty: Bool { frames.isEmpty }

    // MARK: Waiting

    mutating func enqueue(_ frame: PendingAppend) { frames.append(frame) }

    /// Puts frames that were taken out back to the front, in their order.
    mutating func putBack(_ some: [PendingAppend]) {
        for frame in some.reversed() { frames.prepend(frame) }
    }

    mutating func removeAll() -> [PendingAppend] {
        endWaits { _ in false }
        defer { frames = [] }
        return Array(frames)
    }

    /// Removes and returns the frames for which `isRemoved` is true, those of a session in their order.
    mutating func remove(where isRemoved: (PendingAppend) -> Bool) -> [PendingAppend] {
        let users = Set(awaiting.filter { $0.value.contains(where: isRemoved) }.keys)
        endWaits { !users.contains($0) }
        let removed = frames.filter(isRemoved)
        if !removed.isEmpty { frames.removeAll(where: isRemoved) }
        return Array(removed)
    }

    /// Puts the frames back to the front whose users were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    mutating func endWaits(_ isAwaiting: (UserID) -> Bool) {
        guard !awaiting.isEmpty else { return }
        for user in awaiting.keys.filter({ !isAwaiting($0) }).sorted() {
            putBack(awaiting.removeValue(forKey: user) ?? [])
        }
    }

    // MARK: Staging

    /// Removes and returns the next frame whose session has no postponed frame. `settle` is to be called with it.
    mutating func next() -> PendingAppend? {
        while let frame = frames.popFirst() {
            guard postponed.contains(frame.session) else { return frame }
            later.append(frame)
        }
        return nil
    }

    /// Keeps the frame where `step` says.
    mutating func settle(_ frame: PendingAppend, _ step: Step) {
        switch step {
        case .done: break
        case .joins(let session): session.looksUp.append(frame)
        case .awaits(let user): awaiting[user, default: []].append(frame)
        case .postponed:
            postponed.insert(frame.session)
            later.append(frame)
        }
    }

    /// Ends the staging of one statement: the postponed frames go back to the front, for the next statement.
    mutating func putBackPostponed() {
        putBack(later)
        (later, postponed) = ([], [])
    }
}
