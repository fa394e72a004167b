import EventStore
import FocusCore
import Foundation
import NIOConcurrencyHelpers
import Testing
import Waits

@testable import SyncServer

@Suite struct FolderTests {
    private let store = PartLog()

    private func task(_ number: Int, of user: UserID) throws -> FoldTask {
        let before = try store.loaded(user)
        let event = try store.appendFocus("focus-\(number)", of: user).decoded()
        return FoldTask(number: number, user: before, event: event)
    }

    @Test("Q1: the next dear event is that of the user for whom least was folded")
    func fair() throws {
        let (anna, ben) = (UserID(UUID()), UserID(UUID()))
        let first = try task(1, of: anna)
        let others = [try task(2, of: anna), try task(3, of: ben)]
        let (answered, answers) = (NIOLockedValueBox<[Int]>([]), Mailbox<Int>())
        let folder = NIOLockedValueBox<Folder?>(nil)
        let made = Folder(isStopping: { false }) { answer in
            // On the folder's thread: both wait when it looks for the next one.
            if answer.number == 1 { for task in others { folder.withLockedValue { $0 }?.post(task) } }
            answers.post(answer.number)
        }
        folder.withLockedValue { $0 = made }
        made.post(first)
        made.start()
        defer { made.stop() }
        while answered.withLockedValue({ $0.count }) < 3 {
            let new = answers.receive(until: .after(seconds: 10))
            try #require(!new.isEmpty)
            answered.withLockedValue { $0 += new }
        }
        #expect(answered.withLockedValue { $0 } == [1, 3, 2])
        folder.withLockedValue { $0 = nil }
    }
}
