/// The log and the read model on PostgreSQL: append, tail, load, project, replay, migrate.
///
/// Flow: `LogWriter` appends what a lane has staged → `LogReader` and `LogReplay` read it by offset →
/// `ProjectionWriter` puts changed rows beside it → `UserLoader` gives a user's rows plus the events that they lack.
///
/// The log is the truth and the read model may lag: a load is always current, and losing the read model loses nothing.
/// SQL stands in `Schema/`, one statement per file; nothing here holds any.
public enum EventStore {
    /// The formats of logs that this program reads (table `log`, column `format`). A format says which kinds of events
    /// a log may hold. The program writes what the log's own format allows; a new log gets the newest.
    public static let logFormats: ClosedRange<Int32> = 1...4
    /// From this format on, the log records to which scope an incarnation belongs and when it ends (rule P10).
    public static let incarnationFormat: Int32 = 2
    /// From this format on, sessions of apps keep to rule Z1: every server of the log counts an app's versions by the
    /// app's own stream.
    public static let silentFormat: Int32 = 3
    /// From this format on, the log may hold the events of rules N17, N18 and N20: `alertsSilenced.changed`,
    /// `governmentAlert.posted`, `action.handled`, `device.activity`, `device.activityEnded` and
    /// `alert.ringsElsewhere`.
    public static let actionFormat: Int32 = 4
    /// The format that says that every server of the log reads what this program's fold makes: nothing is rebuilt
    /// before.
    public static let foldFormat: Int32 = 4
    /// How users are spread over partitions (table `log`, column `hash`): see `Partition.of(user:count:)`.
    public static let partitionHash = "sha256-64be"
}
