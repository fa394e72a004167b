import Answers
import ArgumentParser
import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// `focus-bench replay`.
struct BenchReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Read and decode the whole log once, and time it; changes nothing.",
        discussion: """
            One consumer takes every event of every partition as the fold gets it, payload
            decoded. Payloads that this program cannot decode are counted (a newer program
            may have written them).

            With --json, one object:
              {"events":100000,"payload_bytes":6000000,"undecoded":0,
               "seconds":0.110000,"events_per_second":909090.9,
               "cpu_user_seconds":0.150,"cpu_system_seconds":0.020}

            Examples:
              focus-bench replay
              focus-bench replay --database postgres://focusd@db.internal/focus --json

            \(ExitStatus.help)
            """)

    @OptionGroup var source: DatabaseOptions
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let configuration = try source.configuration("focus-bench")
        let ranges = try wholeLog(configuration)
        let replay = LogReplay(StoreConfiguration(configuration, assumesRole: false))
        let processor = ProcessorTime.ofThisProcess
        let began = ContinuousClock.now
        var (events, bytes, undecoded) = (0, 0, 0)
        try replay.run(ranges) { event in
            events += 1
            bytes += event.payload.count
            do {
                _ = try event.decoded()
            } catch {
                undecoded += 1
            }
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let used = ProcessorTime.ofThisProcess - processor
        guard json else {
            return Terminal.line(
                "\(events) events (\(bytes >> 10) KiB of payload, \(undecoded) not decoded) in "
                    + String(
                        format: "%.2f s: %.0f events/s, %.2f s of processor time", seconds, Double(events) / seconds,
                        used.total))
        }
        var text = JSONText()
        text.add("events", events)
        text.add("payload_bytes", bytes)
        text.add("undecoded", undecoded)
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.addRaw("events_per_second", String(format: "%.1f", Double(events) / seconds))
        text.addRaw("cpu_user_seconds", String(format: "%.3f", used.user))
        text.addRaw("cpu_system_seconds", String(format: "%.3f", used.system))
        Terminal.line(text.text)
    }

    private func wholeLog(_ configuration: PostgresConfiguration) throws -> [PartitionRange] {
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        return try LogReader().heads(of: log.allPartitions, on: connection).map {
            PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset)
        }
    }
}
