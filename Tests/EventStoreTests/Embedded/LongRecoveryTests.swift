import EventStore
import Foundation
import Support
import Testing

/// A cluster that recovers until it is let go: it asks for WAL of an archive, which does not answer.
@Suite("A long recovery") struct LongRecoveryTests {
    private let own: OwnCluster
    private var asked: String { own.directory + "/asked" }
    private var answer: String { own.directory + "/answer" }

    init() throws {
        own = try OwnCluster()
        try own.start().stop()
        // The command runs as the cluster's own user.
        chmod(own.directory, 0o777)
        own.settings.overrides["restore_command"] =
            "touch \(asked); while ! test -e \(answer); do sleep 0.02; done; false"
        let signal = own.directory + "/postgres/recovery.signal"
        try Data().write(to: URL(fileURLWithPath: signal))
        chmod(signal, 0o644)
    }

    /// Starts the cluster, and calls `body` on another thread once it recovers.
    /// - Returns: how the start ended.
    private func start(
        unless flag: StopFlag = StopFlag(), _ body: @escaping @Sendable () throws -> Void
    ) throws -> Result<EmbeddedCluster, any Error> {
        let (directory, settings, asked) = (own.directory, own.settings, asked)
        let results: [Result<EmbeddedCluster, any Error>?] = try inParallel(2) { index in
            guard index == 0 else {
                try eventually("it recovers") { FileManager.default.fileExists(atPath: asked) }
                try body()
                return nil
            }
            return Result { try EmbeddedCluster.start(dataDirectory: directory, settings: settings, unless: flag) }
        }
        return try #require(results[0])
    }

    @Test("A recovery is waited for, however long it takes: to end it would be to begin it again")
    func waits() throws {
        // Long enough that PostgreSQL recovers by then, also on a loaded machine.
        own.settings.startTimeout = .seconds(10)
        let end = ContinuousClock.now + own.settings.startTimeout + .seconds(1)
        try start { [answer] in
            try eventually("it takes longer than a start may") { ContinuousClock.now > end }
            try Data().write(to: URL(fileURLWithPath: answer))
        }.get().stop()
    }

    @Test("A start that is given up leaves no PostgreSQL behind, also while it recovers")
    func givesUp() throws {
        let flag = StopFlag()
        let result = try start(unless: flag) { flag.set() }
        let error = #expect(throws: EmbeddedClusterError.self) { try result.get() }
        guard case .stopped = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try EmbeddedCluster.running(dataDirectory: own.directory) == nil)
    }
}
