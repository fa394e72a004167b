import DequeModule
import FocusCore

/// Append frames that wait for the next statement, in their order. A user's frames keep it, and a session's answers do
/// (rule P6).
struct AppendQueue {
    /// What became of a frame that was taken up.
    enum Step {
        /// It is staged, answered, or of no use any more.
        case done
        /// It waits until what was staged before it is committed, and with it what its session sent after it.
        case postponed
        /// Its session waits for what the log holds at earlier places: the frame joins what waits there.
        case joins(LaneSession)
    }

    private(set) var frames: Deque<PendingAppend> = []
    /// Frames that were postponed, with those of their sessions behind them.
    private var later: [PendingAppend] = []
    private var postponed: Set<UInt64> = []
    var isEmpty: Bool { frames.isEmpty }

    // MARK: Waiting

    mutating func enqueue(_ frame: PendingAppend) { frames.append(frame) }

    /// Before all that came later, in their order.
    mutating func putBack(_ some: [PendingAppend]) {
        for frame in some.reversed() { frames.prepend(frame) }
    }

    mutating func removeAll() -> [PendingAppend] {
        defer { frames = [] }
        return Array(frames)
    }

    // MARK: Staging

    /// The next frame whose session was not postponed.
    mutating func next() -> PendingAppend? {
        while let frame = frames.popFirst() {
            guard postponed.contains(frame.session) else { return frame }
            later.append(frame)
        }
        return nil
    }

    mutating func settle(_ frame: PendingAppend, _ step: Step) {
        switch step {
        case .done: break
        case .joins(let session): session.looksUp.append(frame)
        case .postponed:
            postponed.insert(frame.session)
            later.append(frame)
        }
    }

    /// Everything was taken up for which there is room: what was postponed is next.
    mutating func putBackPostponed() {
        putBack(later)
        (later, postponed) = ([], [])
    }
}
