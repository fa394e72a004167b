import SeededNumbers
import Testing

@testable import FocusCore

@Suite("HistoryMaker") struct HistoryCoverageTests {
    @Test("Random histories meet summaries, mutes, and classes that differ; else their properties say little")
    func coverage() {
        var reasons: Set<AlertReason> = []
        var (summaries, ranks, classRows, otherBadges) = (0, 0, 0, 0)
        for seed in 1...100 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var stage = HistoryMaker.ready()
            for step in 1...300 {
                HistoryMaker.step(&stage, at: Double(step), using: &random)
                for key in stage.touched where [.alerts, .classAlerts].contains(key.collection) {
                    guard let row = stage.value(AlertRow.self, key) else { continue }
                    reasons.insert(row.decision.reason)
                    ranks += row.summaryRank == nil ? 0 : 1
                    classRows += row.deviceClass == nil ? 0 : 1
                }
                otherBadges += HistoryMaker.apps.count { stage.badge($0)?.others.isEmpty == false }
            }
            summaries += stage.events.count { $0.body.type == .summaryDelivered }
        }
        // The reason `read` needs a notification that is read on one class and held by another; it is rare here and has
        // a test of its own.
        #expect(Set(AlertReason.allCases).subtracting(reasons).subtracting([.read, .healed]) == [])
        for count in [summaries, ranks, classRows, otherBadges] { #expect(count > 10) }
    }
}
