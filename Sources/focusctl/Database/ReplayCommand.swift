import ArgumentParser
import EventStore
import FocusCore
import Foundation
import PostgresClient

/// `focusctl replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Read the log again, one JSON object per event; changes nothing.",
        discussion: """
            Partition after partition, each in its order. --from P:O begins in
            partition P at offset O and leaves out the partitions before it; give it
            several times to begin several partitions somewhere.

            Examples:
              focusctl replay --type focus.changed --type focus.expired
              focusctl replay --user $U --follow
              focusctl replay --from 3:1200 --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Option(help: "Where to begin: partition:offset. May be given several times.")
    var from: [LogPlace] = []
    @Option(help: "Only this type of event; may be given several times.")
    var type: [EventType] = []
    @Option(help: "Only this user's events.")
    var user: UserID?
    @Flag(help: "Stay, and show events as they come, until SIGINT.")
    var follow = false
    @OptionGroup var source: DatabaseOptions

    /// How often a follower asks, behind the server's own notifications (architecture.md §1).
    private static let pollSeconds = 0.25

    func run() throws {
        let configuration = try source.configuration("focusctl-replay")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        var places = try begin(log)
        let filter = ReplayFilter(types: Set(type), user: user)
        let replay = LogReplay(StoreConfiguration(configuration, assumesRole: false), filter: filter)
        repeat {
            let heads = try LogReader().heads(of: places.keys.sorted(), on: connection)
            let ranges = heads.compactMap { head -> PartitionRange? in
                guard let start = places[head.partition], start < head.nextOffset else { return nil }
                places[head.partition] = head.nextOffset
                return PartitionRange(partition: head.partition, offsets: start..<head.nextOffset)
            }
            try replay.run(ranges) { Terminal.line(EventText.json($0)) }
            if follow { Thread.sleep(forTimeInterval: Self.pollSeconds) }
        } while follow
    }

    /// Where each partition begins.
    private func begin(_ log: LogIdentity) throws -> [Partition: LogOffset] {
        var places: [Partition: LogOffset] = [:]
        for place in from {
            guard log.allPartitions.contains(place.partition) else {
                throw CommandFailure("The log has partitions 0 to \(log.partitions - 1), no \(place.partition).")
            }
            places[place.partition] = place.offset
        }
        let lowest = from.map(\.partition).min() ?? Partition(0)
        for partition in log.allPartitions where partition >= lowest && places[partition] == nil {
            places[partition] = .zero
        }
        guard let user else { return places }
        let home = log.partition(of: user)
        return places.filter { $0.key == home }
    }
}

/// A place in the log as people write it: `partition:offset`.
struct LogPlace: ExpressibleByArgument, Hashable {
    let partition: Partition
    let offset: LogOffset

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]), partition >= 0,
            offset >= 0
        else { return nil }
        self.partition = Partition(partition)
        self.offset = LogOffset(offset)
    }
}
