import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl lost`.
struct LostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lost",
        abstract: "List acknowledged events that the log lost and that no device holds any more.",
        discussion: """
            After the restore of a backup, or the promotion of a standby that lacked the tail, devices give back what
            they hold (rule S6) and declare the rest lost: the log has an event device.eventsLost for it. A device that
            has not connected since has not said anything yet.

            With --json, one event device.eventsLost per line, as `focusctl replay`
            writes it (Schema/RECIPES.md); payload has the first and the last lost
            deviceSeq, as text:
              {"partition":3,"logOffset":1200,"userId":"…","version":17,
               "deviceId":"…","incarnation":"1","deviceSeq":9,"eventId":"…",
               "type":"device.eventsLost","occurredAt":"…","recordedAt":"…",
               "schemaVersion":1,"encoding":0,"payload":{"first":"5","last":"9"}}
            appId is there, behind type, where a session of an app lost them.

            Examples:
              focusctl lost
              focusctl lost --json --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Flag(help: "One line of JSON for each gap.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let configuration = try source.configuration("focusctl-lost")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let ranges = try LogReader().heads(of: log.allPartitions, on: connection).map {
            PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset)
        }
        let replay = LogReplay(
            StoreConfiguration(configuration, assumesRole: false), filter: ReplayFilter(types: [.deviceEventsLost]))
        var text = LostText()
        var read: [Partition: LogOffset] = [:]
        var display = ProgressDisplay(total: ranges.reduce(0) { $0 + $1.count }, of: "events")
        try replay.run(ranges) { partition, offset in
            read[partition] = offset
            // Not while lines of JSON go to the same terminal.
            if !json { display.show(read.values.reduce(0) { $0 + Int($1.rawValue) }) }
        } _: { event in
            guard case .deviceEventsLost(let lost) = try event.decoded().body else { return }
            if json { Terminal.line(EventText.json(event)) } else { text.add(lost, event) }
        }
        display.clear()
        if !json { text.lines.forEach(Terminal.line) }
    }
}
