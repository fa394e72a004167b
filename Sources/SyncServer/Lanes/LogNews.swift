import EventStore
import FocusCore

/// What a lane learns of its partitions' log and read model, in the order in which it is so.
enum LogNews {
    /// An event that another server appended.
    case followed(LoggedEvent)
    /// All events of these users up to where the log was seen are told.
    case caughtUp(Set<UserID>)
    /// A user to whom other servers appended, with more events than are told one by one.
    case skipped(UserInRange, Partition)
    /// The lane's own events are in the log.
    case committed(PartitionAppend)
    /// The user as the log has them.
    case loaded(LoadedUser, UserID, Partition)
    /// The user cannot be loaded.
    case unloadable(UserID, any Error)
    /// The read model has everything of the partition below the checkpoint, and of what comes after it lacks these users'
    /// events.
    case readModelStands(Partition, at: LogOffset, lacking: [UserInRange])
    /// The checkpoint stands further back than it stood.
    case checkpointRegressed(Partition, to: LogOffset, lacking: [UserInRange])
    /// What was read of the read model before says nothing any more.
    case readModelIsAnother
    /// Another generation of the partition's read model is shown, which has other rows of these users; nil: of all.
    case generationChanges(Partition, changed: Set<UserID>?)
    /// All that the lane knows of the partition is of the head's generation now.
    case generationChanged(PartitionHead, changed: Set<UserID>?, lacking: [UserInRange])
}
