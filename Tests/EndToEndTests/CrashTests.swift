import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// After kill -9 of any process, nothing acknowledged is lost and nothing is doubled.
@Suite("Crash", .fewAtATime) struct CrashTests {
    /// Rounds of the random test; `ops/test --thorough` sets 200.
    static let rounds = ProcessInfo.processInfo.environment["FOCUS_ROUNDS"].flatMap(Int.init) ?? 3

    @Test(
        "P1, P2: killed at any step between sent and acknowledged, the resent event is there exactly once",
        arguments: FaultPoint.allCases)
    func killedAtFaultPoint(_ point: FaultPoint) async throws {
        let server = try await FocusdProcess()
        await server.kill()
        try await server.start(fault: "\(point.rawValue):2")
        let fleet = try await Fleet(server: server, devices: 1, users: 1)
        let device = fleet.devices[0]
        async let outcome = device.append(count: 6, from: 0)
        try await awaiting("\(point) is passed for the second time") { server.hasExited }
        await server.waitForExit()
        try await server.start()
        try await outcome
        try await fleet.verify()
        await fleet.close()
        await server.remove()
    }

    @Test(
        "P2, P10: killed at any step of a recalling and of appends behind it, each event is there once, and answered",
        arguments: FaultPoint.allCases)
    func killedWhileRecalling(_ point: FaultPoint) async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let server = try await FocusdProcess(database: conninfo)
        var kills = 0
        while kills < (Self.rounds > 3 ? 100 : 4) {
            let device = try await RecallingDevice(server, conninfo: conninfo, queued: Self.rounds > 3 ? 1_010 : 10)
            // What the read model lacks is written at the next start, which would end there.
            if point == .projected { try await Self.allIsProjected(conninfo) }
            await server.kill()
            try await server.start(fault: "\(point.rawValue):\(kills + 1)")
            let work = try await device.begin()
            // The projector writes when appends pause, so it may write once only, and after the work is done: a server
            // that dies there is waited for the first time.
            let maySurvive = point != .projected || kills > 0
            try await awaiting("it is killed, or there is nothing more to do") {
                server.hasExited || (work.isOver && maySurvive)
            }
            let isKilled = server.hasExited
            if isKilled {
                await server.waitForExit()
                try await server.start()
            }
            try await device.verify(work)
            guard isKilled else { break }
            kills += 1
        }
        print("\(point): killed at \(kills) steps")
        #expect(kills >= (point == .projected ? 1 : 4))
        await server.remove()
    }

    private static func allIsProjected(_ conninfo: String) async throws {
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try eventually("the read model has everything") {
                try connection.query(TestStatement.unprojected).int8(row: 0, column: 0) == 0
            }
        }
    }

    @Test(
        "Random kills of focusd and the postmaster, cuts and partitions: every acknowledged event exactly once, views equal a fresh replay",
        arguments: Seeds.fresh())
    func randomKills(seed: UInt64) async throws {
        print("FOCUS_SEED=\(seed) rounds=\(Self.rounds)")
        var random = SplitMix64(seed: seed)
        let server = try await FocusdProcess()
        let proxy = try await FlakyProxy.start(upstream: server.port, seed: random.next())
        let fleet = try await Fleet(server: server, devices: 8, users: 4, proxy: proxy)
        for round in 0..<Self.rounds {
            let killsPostmaster = Bool.random(using: &random)
            let moment = Int.random(in: 1...150, using: &random)
            async let appended: Void = fleet.append(count: 25, round: round)
            await fleet.acknowledged(moment, in: round)
            if Bool.random(using: &random) { proxy.cutAll() }
            proxy.partition(milliseconds: Int64.random(in: 0...1_000, using: &random))
            if killsPostmaster {
                try server.killPostmaster()
            } else {
                await server.kill()
                try await server.start()
            }
            try await appended
            try await fleet.verify()
            if round % 20 == 19 {
                print("round \(round + 1) of \(Self.rounds): \(fleet.acknowledgedCount) events acknowledged")
            }
        }
        await fleet.close()
        try await proxy.stop()
        #expect(await server.terminate(), "focusd exits 0 on SIGTERM")
        await server.remove()
    }
}
