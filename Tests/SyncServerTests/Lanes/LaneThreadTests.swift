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

    @Test("Q1: a thread for which all wait has the shortest slice; one of the background has a long slice, and is nicer")
    func priorities() async {
        let all = [await attributes(of: .prompt), await attributes(of: .usual), await attributes(of: .background)]
        #expect(all.map(\.nice) == [0, 0, 10])
        let slices = all.map(\.runtime)
        // A kernel without slices says 0 for all.
        #expect(slices == [0, 0, 0] || slices[0] < slices[1] && 10 * slices[1] < slices[2], "\(slices)")
    }

    @Test(
        "Who made the whole process nicer, or less nice, has threads for which all wait stay so",
        arguments: [Int32(3), -10])
    func chosen(nice: Int32) async {
        let found = await withCheckedContinuation { done in
            _ = LaneThread(name: "test") {
                var attributes = scheduling_attributes()
                #expect(scheduling_get(0, &attributes) == 0)
                attributes.nice = nice
                guard scheduling_set(0, &attributes) == 0 else { return done.resume(returning: Int32?.none) }
                LaneThread.set(.prompt)
                #expect(scheduling_get(0, &attributes) == 0)
                done.resume(returning: attributes.nice)
            }
        }
        // Nil: this process may not make a thread less nice, and no operator can have.
        #expect(found == nice || found == nil && nice < 0)
    }
}
