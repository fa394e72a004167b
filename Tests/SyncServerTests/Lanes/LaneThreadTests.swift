import CScheduler
import Foundation
import Testing

@testable import SyncServer

@Suite("Lane threads") struct LaneThreadTests {
    private func attributes(of priority: LaneThread.Priority) async -> scheduling_attributes {
        await withCheckedContinuation { done in
            _ = LaneThread(name: "test", priority: priority) {
                var attributes = scheduling_attributes()
                #expect(scheduling_get(0, &attributes) == 0)
                done.resume(returning: attributes)
            }
        }
    }

    @Test("Q1: a thread for which all wait has the shortest slice, and one of the background a long one and is nicer")
    func priorities() async {
        let all = [await attributes(of: .prompt), await attributes(of: .usual), await attributes(of: .background)]
        #expect(all.map(\.nice) == [0, 0, 10])
        let slices = all.map(\.runtime)
        // A kernel without slices says 0 for all.
        #expect(slices == [0, 0, 0] || slices[0] < slices[1] && 10 * slices[1] < slices[2], "\(slices)")
    }
}
