import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// A point of a user's history as people write it: a version (`1200`), or a time of the server's clock (RFC 3339).
enum Moment: ExpressibleByArgument, Hashable {
    case version(Version)
    case time(Timestamp)

    init?(argument: String) {
        if let number = Int64(argument), number >= 0 {
            self = .version(Version(number))
        } else if let time = Timestamp(rfc3339: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }
}

/// A user's opened past: the connection, the user's partition, and the reader of past states.
struct Past {
    let connection: PostgresConnection
    let user: UserID
    let partition: Partition
    let reader: StateReader
    /// The last version of the stream.
    let head: Version

    /// Throws `CommandFailure` when the log has no events of the user; `PostgresError`.
    init(of user: UserID, _ source: DatabaseOptions, _ cache: CacheOptions, as name: String) throws {
        let configuration = try source.configuration(name)
        connection = try PostgresConnection(configuration)
        let log = try LogIdentity.read(on: connection)
        self.user = user
        partition = log.partition(of: user)
        reader = StateReader(cache: cache.cache(of: log.log)) {
            Terminal.complain("States are not cached: \($0)")
        }
        head = try reader.head(of: user, in: partition, on: connection)
        guard head > .zero else { throw KnownUser.failure(user) }
        OperatorRecord.note(String(name.drop { $0 != "-" }.dropFirst()), of: [user], configuration)
    }

    /// The version at a moment: for a time, the last version that was recorded by then. Throws `CommandFailure` for a
    /// version that does not exist yet.
    func version(_ moment: Moment) throws -> Version {
        switch moment {
        case .version(let version):
            guard version <= head else {
                throw CommandFailure("The user's last version is \(head): there is no \(version) yet.")
            }
            return version
        case .time(let time):
            return try LogReader().lastVersion(
                of: user, partition: partition, recordedUpTo: time, head: head, on: connection)
        }
    }

    func close() { connection.close() }

    func state(at version: Version) throws -> UserState {
        try reader.state(of: user, in: partition, at: version, head: head, on: connection)
    }
}
