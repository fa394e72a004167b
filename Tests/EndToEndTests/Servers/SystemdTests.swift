import Foundation
import Logging
import NIOConcurrencyHelpers
import Support
import Testing

@testable import focusd

/// What systemd is told of a server.
@Suite("systemd", .fewAtATime) struct SystemdTests {
    @Test(
        "systemd is told that devices are served, that the server lives, reloads and stops", arguments: [false, true])
    func told(isAbstract: Bool) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let systemd = try NotifyListener(isAbstract ? "@focusd-\(UUID().uuidString)" : place + "/notify")
        if isAbstract {
            // The kernel shows each zero of a name as “@”: there is the first one alone.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/unix"))
            let sockets = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
            #expect(sockets.contains { $0.hasSuffix(" " + systemd.name) })
        }
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let server = try ChildProcess(
            FocusdProcess.binary("focusd"),
            [
                "serve", "--plaintext", "--listen", "127.0.0.1:0", "--data-dir", place, "--database", database,
                "--partitions", "2", "--log-level", "error",
            ],
            environment: ["NOTIFY_SOCKET": systemd.name, "WATCHDOG_USEC": "200000"], errors: place + "/log")
        try await awaiting("the server is ready") { !systemd.news.isEmpty }
        let ready = try #require(systemd.news.first)
        let port = ready.wholeMatch(of: /READY=1\nSTATUS=serves devices on 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        await (try WireClient.connect(port: try #require(port, "\(ready)"))).close()
        try await awaiting("signs of life") { systemd.messages.count { $0 == "WATCHDOG=1" } >= 3 }
        server.signal(SIGHUP)
        try await awaiting("it reloads") { systemd.news.count == 3 }
        #expect(systemd.news[1].wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=\d+/) != nil, "\(systemd.news)")
        #expect(systemd.news[2] == "READY=1")
        server.signal(SIGTERM)
        #expect(await server.exitCode() == 0)
        #expect(systemd.news.count == 4)
        #expect(systemd.messages.last == "STOPPING=1\nSTATUS=stops: devices are sent away")
    }

    @Test("A server that hangs gives no sign of life, which is logged once")
    func hangs() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let systemd = try NotifyListener(place + "/notify")
        let kept = KeptLog()
        let looks = NIOLockedValueBox(0)
        let notifier = try #require(
            SystemdNotifier(
                ["NOTIFY_SOCKET": systemd.name, "WATCHDOG_USEC": "2000"], status: "", logger: logger(kept)
            ) {
                // The kernel keeps ten messages that nobody has read (unix(7), `max_dgram_qlen`).
                _ = systemd.messages
                return looks.withLockedValue { looks in
                    looks += 1
                    return (11...50).contains(looks) ? ["lane-1"] : []
                }
            })
        let running = Task { try await notifier.run() }
        try await awaiting("it lives again") { looks.withLockedValue { $0 } > 60 }
        running.cancel()
        try await running.value
        let signs = systemd.messages.count { $0 == "WATCHDOG=1" }
        #expect(signs == looks.withLockedValue { $0 } - 40)
        #expect(kept.messages(.critical) == ["hangs: systemd is given no sign of life"])
    }

    @Test(
        "Signs of life come twice as often as systemd asks for, and only from the process that it watches",
        arguments: [
            (["WATCHDOG_USEC": "30000000"], 15), (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"], 15),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-2000000"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ] as [([String: String], Int?)])
    func beat(environment: [String: String], seconds: Int?) throws {
        let all = environment.merging(["NOTIFY_SOCKET": "/nowhere"]) { $1 }
        let notifier = try #require(SystemdNotifier(all, status: "", logger: logger(KeptLog())) { [] })
        #expect(notifier.beat == seconds.map { .seconds($0) })
    }

    @Test("Without systemd nobody is told; what it cannot be told is logged, and the server goes on")
    func untold() async throws {
        let kept = KeptLog()
        #expect(SystemdNotifier([:], status: "", logger: logger(kept)) { [] } == nil)
        #expect(SystemdNotifier(["NOTIFY_SOCKET": ""], status: "", logger: logger(kept)) { [] } == nil)
        for name in ["/nowhere/notify", "vsock:2:1234"] {
            let notifier = SystemdNotifier(["NOTIFY_SOCKET": name], status: "", logger: logger(kept)) { [] }
            var isDone = false
            notifier?.reloading { isDone = true }
            #expect(isDone)
        }
        #expect(kept.messages(.error).count == 4)
    }

    @Test("A socket's name has room up to the kernel's limit, is absolute or abstract, and nothing else")
    func names() {
        for name in ["", "@", "/", "notify", "vsock:2:1234", "/a\0b"] { #expect(UnixAddress(name) == nil, "\(name)") }
        #expect(UnixAddress("/" + String(repeating: "n", count: 106)) != nil)
        #expect(UnixAddress("/" + String(repeating: "n", count: 107)) == nil, "a zero follows a path")
        #expect(UnixAddress("@" + String(repeating: "n", count: 107)) != nil)
        #expect(UnixAddress("@" + String(repeating: "n", count: 108)) == nil)
    }

    private func logger(_ kept: KeptLog) -> Logger { Logger(label: "test") { _ in kept } }
}
