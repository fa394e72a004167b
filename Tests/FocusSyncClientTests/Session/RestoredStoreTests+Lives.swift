import FocusCore
import SeededNumbers
import Support
import Testing

@testable import FocusSyncClient

/// Stores that live any life: what they make is in the log once.
extension RestoredStoreTests {
    @Test(
        "P10, P2: copies, restores and deaths in any order: each event of the stores that are left is logged once",
        arguments: Seeds.first(60))
    func randomLives(seed: UInt64) throws { try live(seed, losesTail: false) }

    @Test(
        "S6, P10: and when the log loses its tail: what the stores that are left hold is there once",
        arguments: Seeds.first(60))
    func randomLosses(seed: UInt64) throws { try live(seed, losesTail: true) }

    private func live(_ seed: UInt64, losesTail: Bool) throws {
        var random = SplitMix64(seed: seed)
        var server = PlaceServer()
        server.frameBytes = 512
        server.recallLimit = 3
        var phones = [try RestoredPhone()]
        var backups: [RestoredPhone.Backup] = []
        var tails = [server]
        for _ in 0..<40 {
            let phone = phones.randomElement(using: &random) ?? phones[0]
            switch Int.random(in: 0..<(losesTail ? 12 : 10), using: &random) {
            case 0...2: _ = try phone.make(Int.random(in: 1...6, using: &random))
            case 3...5: try phone.synchronize(&server)
            case 6:
                phone.diesAt = phone.steps + Int.random(in: 0..<12, using: &random)
                _ = try phone.connect(&server)
                phone.diesAt = .max
            case 7: backups.append(try phone.backUp())
            case 8: if let backup = backups.randomElement(using: &random) { try phone.restore(backup) }
            case 9:
                // Rule P10 makes no promise for a copy beside the store when the log loses its tail.
                guard !losesTail, phones.count < 3, let backup = backups.randomElement(using: &random) else { continue }
                phones.append(try RestoredPhone.copy(of: backup))
            case 10: tails.append(server)
            default:
                server = tails.removeLast()
                if tails.isEmpty { tails = [server] }
            }
        }
        for _ in 0..<3 { for phone in phones { try phone.synchronize(&server) } }
        let counts = server.counts
        let twice = counts.values.count { $0 > 1 }
        #expect(twice == 0, "seed \(seed): twice")
        for phone in phones {
            #expect(try !phone.store.hasQueued && !phone.store.isRecalling, "seed \(seed)")
            let missing = try phone.store.sent().count { counts[$0.envelope.id] == nil }
            #expect(missing == 0, "seed \(seed): not there")
            let changed = phone.verdicts.values.count { Set($0).count > 1 }
            #expect(changed == 0, "seed \(seed): told otherwise")
        }
    }
}
