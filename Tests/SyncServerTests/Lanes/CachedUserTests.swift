import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

/// What a user is taken to need in memory, while events are folded in.
@Suite struct CachedUserTests {
    private let id = UserID.random()

    private func user() -> CachedUser {
        CachedUser(
            id: id, partition: Partition(0), generation: 1, state: UserState(user: id), dirty: [],
            projectedVersion: .zero, lastUsed: 0)
    }

    @Test("Q4: what came since the last count is taken for four times its bytes, until there is enough to count anew")
    func growth() {
        let user = user()
        let empty = user.approximateBytes
        user.grew(payloadBytes: 1_000)
        #expect(user.approximateBytes == empty + 4_000)
        user.grew(payloadBytes: 64 * 1_024 - 1_000)
        #expect(user.approximateBytes == empty + 256 * 1_024)
        // Nothing of it is in the state, so the count finds what it found before.
        user.grew(payloadBytes: 1)
        #expect(user.approximateBytes == empty)
    }

    @Test("A row that changed more often than rows are read at once is read at once, and comes once")
    func repeatedKeys() {
        let user = user()
        for _ in 0...ProjectedUser.readAtOnce { user.dirty.add([RowKey(.stream)]) }
        #expect(user.dirty.count > ProjectedUser.readAtOnce)
        #expect(user.projected(dueAt: nil).rows.map(\.key) == [RowKey(.stream)])
    }

    @Test("A batch has the digests of a user of whom little changed; of one of whom much did they are made later")
    func digestsOfMany() throws {
        let (device, time) = (DeviceID.random(), Timestamp(microseconds: 1_800_000_000_000_000))
        for (focuses, areMade) in [(400, true), (600, false)] {
            let user = user()
            for number in 1...focuses {
                let body = EventBody.focusConfigured(FocusConfigured(focusID: "\(number)", name: "Work"))
                let event = Event(
                    version: user.state.version.next, device: device, incarnation: Incarnation(1),
                    sequence: DeviceSequence(Int64(number)), id: .random(), app: nil, occurredAt: time,
                    recordedAt: time, body: body)
                user.dirty.add(try user.state.apply(event))
            }
            #expect((user.projected(dueAt: nil).digests != nil) == areMade, "\(focuses) focuses")
        }
    }
}
