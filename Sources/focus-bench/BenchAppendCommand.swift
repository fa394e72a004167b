import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Programs
import Tokens

/// `focus-bench append`.
struct BenchAppendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Append a realistic mix of events from many devices, and time the acknowledgements.",
        discussion: """
            Each device connects, registers the apps of its user, and then appends:
            50 % notification.posted, 25 % notification.read, 10 % notification.removed,
            5 % focus.changed, 5 % route.locationsInserted of 10 points, 5 % other
            registers. The same --seed gives the same users, devices and events; every run
            on one log needs another.

            The clock runs from the first append of the mix to the last acknowledgement.
            It fails (exit code 3) unless every event is accepted and every device is sent
            the rows of its user's last version. With --events the frames are made before
            the clock starts; with --seconds while it runs, which costs the generator more.

            With --rate the devices together offer so many events a second, evenly, whether
            they are answered or not; a frame's time then begins when it was due.

            This writes into the log for good. Do not point it at a log that matters.

            With --json, one object:
              {"devices":64,"users":64,"batch":100,"window":4,"seed":1,
               "events":102400,"began_at":1795864098.250000,"seconds":1.200000,
               "delivered_seconds":1.300000,"events_per_second":85333.3,
               "ack_p50_us":21000,"ack_p99_us":48000,"cpu_user_seconds":0.800,
               "cpu_system_seconds":0.300,"rows_delivered":90000,
               "bytes_sent":15000000,"bytes_received":12000000}
            rate is there, behind window, with --rate. began_at is in seconds since
            1970. The processor time is this program's.

            Examples:
              focus-bench append --plaintext --devices 64 --batch 100 --events 200000
              focus-bench append --plaintext --batch 1 --window 1 --seconds 20 --seed 2
              focus-bench append --plaintext --key token.key --devices 1000 --users 500

            \(ExitStatus.help)
            """)

    @Option(help: "The server's host:port.")
    var server = ServerAddress.usual
    @Flag(help: "No TLS; required, as load is generated in the clear only.")
    var plaintext = false
    @Option(help: "File with the key that tokens are signed with. Default: that of the focusd on this machine.")
    var key: String?
    @Option(help: "Devices, each with a connection of its own. 1 to 10000.")
    var devices = 64
    @Option(help: "Users, who share the devices evenly. Default: one for each device.")
    var users: Int?
    @Option(help: "Events in a frame. 1 to 1000.")
    var batch = 100
    @Option(help: "Frames that a device sends before it waits for an acknowledgement. 1 to 64.")
    var window = 4
    @Option(help: "Events of all devices together, rounded up to whole batches for each. Default: 100000.")
    var events: Int?
    @Option(help: "Append for so long instead.")
    var seconds: Int?
    @Option(help: "Events of all devices together in a second, with --seconds. Default: as fast as they are answered.")
    var rate: Int?
    @Option(help: "Chooses users, devices and texts.")
    var seed: UInt64 = 1
    @Option(help: "Seconds without any answer before it gives up.")
    var timeout = 30
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard plaintext else { throw ValidationError("Give --plaintext: load is generated in the clear only.") }
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices is 1 to 10000.") }
        guard (1...devices).contains(users ?? devices) else { throw ValidationError("--users is 1 to --devices.") }
        guard (1...1_000).contains(batch) else { throw ValidationError("--batch is 1 to 1000.") }
        guard (1...64).contains(window) else { throw ValidationError("--window is 1 to 64.") }
        guard events == nil || seconds == nil else { throw ValidationError("Either --events or --seconds.") }
        guard (1...20_000_000).contains(events ?? 1) else { throw ValidationError("--events is 1 to 20000000.") }
        guard (1...86_400).contains(seconds ?? 1) else { throw ValidationError("--seconds is 1 to 86400.") }
        guard rate == nil || seconds != nil else { throw ValidationError("--rate goes with --seconds.") }
        guard (1...1_000_000).contains(rate ?? 1) else { throw ValidationError("--rate is 1 to 1000000.") }
        guard (1...3_600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds.") }
    }

    func run() async throws {
        let plan = LoadPlan(
            devices: devices, users: users ?? devices, batch: batch, window: window,
            length: seconds.map { .seconds($0) } ?? .events(events ?? 100_000), rate: rate, seed: seed,
            timeoutSeconds: timeout)
        let report = try LoadRun(plan, server: server, tokens: try tokens(for: plan)).run()
        (json ? [report.json] : report.lines).forEach(Terminal.line)
    }

    private func tokens(for plan: LoadPlan) throws -> [String] {
        let file = key ?? EmbeddedCluster.defaultDataDirectory + "/token.key"
        let key = try TokenSigner(file: file)
        return try (0..<plan.devices).map { device in
            try key.token(
                user: plan.user(of: device), device: plan.device(device), scope: .system, seconds: 7 * 86_400)
        }
    }
}
