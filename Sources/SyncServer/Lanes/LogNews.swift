import EventStore
import FocusCore

/// What a lane learns of its partitions' log and read model. Events of a partition are told in the log's order.
enum LogNews {
    /// Another server appended this event.
    case followed(LoggedEvent)
    /// Other servers' events for these users have all been told, up to the head that was seen.
    case caughtUp(Set<UserID>)
    /// Other servers appended events for the user that are not told one by one, because there are too many in the
    /// partition (`LaneConfiguration.refoldLimit`).
    case skipped(UserInRange, Partition)
    /// The lane's own events were committed.
    case committed(PartitionAppend)
    /// The user was loaded, with all events up to the head that the load saw. What was told of them since may be
    /// missing; what they have past the known head is told next.
    case loaded(LoadedUser, UserID, Partition)
    /// The user was looked up. As after a load, what they have past the known head is told next.
    case outlined(UserOutline, UserID, Partition)
    /// The user was loaded, but their state cannot be used. `elsewhere`: it is of another history of the log, or of
    /// a server that was left behind.
    case outdated(UserID, elsewhere: Bool = false)
    /// The user cannot be loaded: their events cannot be read or folded.
    case unloadable(UserID, any Error)
    /// The read model has everything of the partition below the checkpoint, but for events of laggards. They are among
    /// `lacking`, with everybody who has events from there on.
    case readModelStands(Partition, at: LogOffset, lacking: [UserInRange])
    /// The read model lost projections: its checkpoint is further back than the lane believed. `lacking` as in
    /// `readModelStands`.
    case checkpointRegressed(Partition, to: LogOffset, lacking: [UserInRange])
    /// The laggards of the partition (`Checkpoint`), each with the first event that their rows lack.
    case laggards([UserID: LogOffset], Partition)
    /// The lane reads anew what the read model has, so reports of batches under way no longer mean anything.
    case readModelIsAnother
    /// The lane has lost its connection and made another. Others to the same host may be as dead, and nobody may have
    /// noticed.
    case connectionIsAnother
    /// Another PostgreSQL server took over. The one before may go on answering those who only read, with a read model
    /// that has more than the new one's.
    case serverIsAnother
    /// Another generation of the partition's read model is shown. The rows of these users differ there; nil: those of
    /// any user may.
    case generationChanges(Partition, changed: Set<UserID>?)
    /// The lane has changed to the head's generation. `changed` is as in `generationChanges`; `lacking` are the users
    /// with events past that generation's checkpoint.
    case generationChanged(PartitionHead, changed: Set<UserID>?, lacking: [UserInRange])
}
