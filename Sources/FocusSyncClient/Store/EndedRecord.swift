import Foundation
import GRDB

/// A row of table `ended`: an incarnation that takes no further event (rule P10). A log that lost its tail may have
/// forgotten that, and is told again (rule S6).
struct EndedRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "ended"

    enum Columns {
        static let incarnation = Column(CodingKeys.incarnation)
        static let endedAt = Column(CodingKeys.endedAt)
        static let place = Column(CodingKeys.place)
        static let log = Column(CodingKeys.log)
    }

    var incarnation: Int64
    /// When it ended, by the device's clock, in microseconds since 1970.
    var endedAt: Int64
    /// The newest place in table `sent` when it ended.
    var place: Int64
    /// The log in which it ended; nil: an earlier version of this library stored it before the store knew its log.
    var log: Data?

    /// The incarnations that ended in a log.
    static func ended(in log: Data?) -> QueryInterfaceRequest<EndedRecord> { filter(Columns.log == log) }
}
