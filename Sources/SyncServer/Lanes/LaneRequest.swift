import EventStore
import FocusCore

/// What a lane is asked to do, or told by its services. A session is named by its connection (`SessionHandle.id`).
enum LaneRequest: Sendable {
    /// Let the session in.
    case open(SessionHandle, SessionOpening)
    /// Say when the heads are confirmed, so that the connection may write the news that it holds.
    case confirm(SessionHandle)
    /// Append, heal or recall.
    case append(session: UInt64, IncomingAppend)
    /// The device has taken what was queued: send it more.
    case resume(session: UInt64)
    /// Send these collections afresh; an empty list means all (rule S9).
    case resync(session: UInt64, [RowCollection])
    /// Tell the session of these users, whose partitions are this lane's (rule V1).
    case watch(SessionHandle, Viewer, [UserID])
    case unwatch(session: UInt64, [UserID])
    /// The session's device is in use, with this app in front, or it is not any more (rule L6).
    case activity(session: UInt64, ActivityReport)
    /// The connection is closed.
    case close(session: UInt64)
    case fetch(session: UInt64, FetchRequest)
    /// Say whether a message would reach a user whose partition is this lane's (rule F6).
    case reach(PeerQuestion)
    /// The `Fetcher` has answered a question.
    case fetched(PendingFetch)
    /// The `Loader` has answered.
    case loaded(LoadAnswer)
    /// The `Loader` has asked for audiences.
    case audiencesFound(AudienceAnswer)
    /// The `PlaceFinder` has looked up the places of the session's oldest frame; nil when the log could not be asked.
    case placesFound(session: UInt64, FoundPlaces?)
    /// The `Projector` is done with a batch.
    case projected(Partition, ProjectionReport)
    /// Give a copy of the lane's figures. It is called on the lane's thread.
    case figures(@Sendable (LaneFigures) -> Void)
    /// Read what an operator asks for, on the lane's thread.
    case inquire(@Sendable (LaneWorker) -> Void)
    /// Other servers may have appended.
    case headsMayHaveMoved
    case stop

    /// What the request is charged to the inbound budget until the lane takes it up, because a device may ask as fast as
    /// it sends while the lane waits for the database. Appends are charged by the connection until they are answered.
    /// The other requests cost nothing: a session has one or a few of each kind under way.
    var charge: InboundCharge? {
        switch self {
        case .resync(let session, let collections):
            InboundCharge(bytes: 100 + collections.count, owner: .connection(session))
        case .watch(let handle, _, let users):
            InboundCharge(bytes: 100 + 16 * users.count, owner: .connection(handle.id))
        case .unwatch(let session, let users):
            InboundCharge(bytes: 100 + 16 * users.count, owner: .connection(session))
        case .open, .confirm, .append, .resume, .activity, .close, .fetch, .reach, .fetched, .loaded, .audiencesFound,
            .placesFound,
            .projected, .figures, .inquire, .headsMayHaveMoved, .stop:
            nil
        }
    }
}
