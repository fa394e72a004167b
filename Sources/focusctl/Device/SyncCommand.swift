import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl sync`.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring the device's rows up to date, and show what changed.",
        discussion: """
            Rows and cursor are kept in --state: the next time only differences
            come. Every checkpoint's digests are compared with the rows'.

            + is a new row, ~ a changed one, - one that is gone. With --json, one
            object per line:
              {"change":"added","collection":"badges","app":"com.example.chat",
               "key":"","version":7,"value":{"count":"1"}}
              {"change":"verified","version":7}

            Examples:
              focusctl sync --plaintext --token-file token
              focusctl sync --plaintext --token-file token --follow --json
              focusctl sync --plaintext --token-file token --follow --in-use

            Exit codes: 0 done (with --follow: stopped by SIGINT or SIGTERM),
            1 failed, 2 usage, 3 the rows differed from the server's, even if they
            were made right again.
            """)

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "End when a checkpoint has confirmed the rows (this is the default).")
    var once = false
    @Flag(help: "Stay, and show changes as they come, until SIGINT or SIGTERM.")
    var follow = false
    @Flag(help: "JSON, one object per line.")
    var json = false
    @Flag(help: "Show all rows at the end, not what changed.")
    var all = false
    @Option(
        name: .customLong("collection"), help: "Only this collection, for example badges; may be given several times.")
    var collections: [RowCollection] = []
    @Option(name: .customLong("class"), help: "What kind of device this is, unless the token says.")
    var deviceClass = DeviceClass.phone
    @Flag(help: "With --follow: report that the device is in use, so that alerts ring here first (rule N18).")
    var inUse = false
    @Option(help: "With --in-use: the app that is in front.")
    var inFront: AppID?

    func validate() throws {
        if once, follow { throw ValidationError("Either --once or --follow.") }
        if all, follow { throw ValidationError("--all is for --once.") }
        if inUse, !follow { throw ValidationError("--in-use is for --follow.") }
        if inFront != nil, !inUse { throw ValidationError("--in-front is for --in-use.") }
        if let hidden = collections.first(where: { !$0.isPublic }) {
            throw ValidationError("\(hidden.rawValue) is internal, no device gets it.")
        }
    }

    func run() async throws {
        let printer = UpdatePrinter(json: json, isQuiet: all, isFollowing: follow)
        let client = try connection.makeClient { configuration in
            configuration.collections = collections
            configuration.deviceClass = deviceClass
            configuration.onUpdate = { printer.show($0) }
            if follow { configuration.maximumAttempts = nil }
        }
        do {
            if follow {
                try await followChanges(client)
            } else {
                try await client.synchronize()
                try await sendQueued(client)
                if all { try showAll(client) }
            }
        } catch SyncClientError.diverged(let collections) {
            await client.close()
            throw IntegrityFailure(SyncClientError.diverged(collections).description)
        }
        await client.close()
        if printer.hasDiverged { throw IntegrityFailure("Rows differed from the server's and were fetched afresh.") }
    }

    /// Gives events that earlier runs left a second to get into the log. The server need not take them now: then they
    /// stay queued.
    private func sendQueued(_ client: SyncClient) async throws {
        for _ in 0..<50 where try client.store.hasQueued { try await Task.sleep(for: .milliseconds(20)) }
    }

    private func followChanges(_ client: SyncClient) async throws {
        await client.start()
        let signals = Interruption { Task { await client.close() } }
        defer { withExtendedLifetime(signals) {} }
        let reports = inUse ? Task { await reportActivity(client) } : nil
        defer { reports?.cancel() }
        try await client.waitUntilStopped()
    }

    /// Reports the device's use again and again, also soon after each new connection. The client sends no more of it than
    /// the server needs.
    private func reportActivity(_ client: SyncClient) async {
        while !Task.isCancelled {
            await client.reportActivity(inFront: inFront)
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func showAll(_ client: SyncClient) throws {
        let rows = try client.rows().map {
            RowChange(key: $0.key, version: $0.version, before: nil, after: $0.value)
        }
        if json {
            for row in rows { Terminal.line(UpdatePrinter.json(row)) }
        } else {
            UpdatePrinter.table(rows).forEach(Terminal.line)
        }
    }
}
