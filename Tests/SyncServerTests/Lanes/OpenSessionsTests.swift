import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Sessions by connection, by user and by store; the two indexes change together.
@Suite struct OpenSessionsTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())

    @Test("A session is found by its connection, its user and its device's store, until it is removed")
    func isFound() {
        var sessions = OpenSessions()
        let identity = LaneSamples.identity(anna)
        let (first, second) = (LaneSamples.session(1, identity), LaneSamples.session(2, LaneSamples.identity(anna)))
        sessions.insert(first)
        sessions.insert(second)
        #expect(sessions[1] === first && sessions[3] == nil)
        #expect(sessions.sessions(of: anna).map(\.handle.id) == [1, 2] && sessions.sessions(of: ben).isEmpty)
        #expect(sessions.session(of: identity, Incarnation(1)) === first)
        #expect(sessions.session(of: identity, Incarnation(2)) == nil)
        #expect(Array(sessions.users) == [anna] && sessions.all.count == 2)

        #expect(sessions.remove(1) === first)
        #expect(sessions[1] == nil && sessions.session(of: identity, Incarnation(1)) == nil)
        #expect(sessions.sessions(of: anna).map(\.handle.id) == [2] && sessions.hasSessions(of: anna))
        #expect(sessions.remove(1) == nil)
        #expect(sessions.remove(2) === second && !sessions.hasSessions(of: anna) && sessions.users.isEmpty)
    }

    @Test("P8: of two sessions of one store the later one is the store's, also when the earlier one goes after it came")
    func laterOfAStore() {
        var sessions = OpenSessions()
        let identity = LaneSamples.identity(anna)
        let (earlier, later) = (LaneSamples.session(1, identity), LaneSamples.session(2, identity))
        sessions.insert(earlier)
        sessions.insert(later)
        sessions.hadTurns([earlier], of: anna)
        #expect(sessions.session(of: identity, Incarnation(1)) === later)
        #expect(sessions.remove(1) === earlier)
        #expect(sessions.session(of: identity, Incarnation(1)) === later)
    }

    @Test("A device's scopes and incarnations are stores of their own")
    func stores() {
        var sessions = OpenSessions()
        let device = DeviceID(UUID())
        let app = LaneSamples.identity(anna, device, .app(AppID("com.example.chat")!))
        sessions.insert(LaneSamples.session(1, LaneSamples.identity(anna, device)))
        sessions.insert(LaneSamples.session(2, LaneSamples.identity(anna, device), 2))
        sessions.insert(LaneSamples.session(3, app))
        #expect(sessions.session(of: LaneSamples.identity(anna, device), Incarnation(1))?.handle.id == 1)
        #expect(sessions.session(of: LaneSamples.identity(anna, device), Incarnation(2))?.handle.id == 2)
        #expect(sessions.session(of: app, Incarnation(1))?.handle.id == 3)
    }

    @Test("Those who wait are let in in their order; a connection that closes waits no more")
    func waiting() {
        var sessions = OpenSessions()
        for id in UInt64(1)...3 {
            sessions.enqueue(
                OpenSessions.Waiting(
                    handle: LaneSamples.handle(id), opening: LaneSamples.opening(LaneSamples.identity(anna)),
                    needsLoad: true))
        }
        #expect(sessions.remove(2) == nil)
        let waiting = sessions.dequeueWaiting()
        #expect(waiting.map(\.handle.id) == [1, 3] && sessions.waiting.isEmpty)
        sessions.enqueue(waiting[1])
        #expect(sessions.waiting.map(\.handle.id) == [3])
    }

    @Test(
        "A3: a session that was told to go is named once when its device is revoked, unless its connection closed first"
    )
    func leaving() {
        var sessions = OpenSessions()
        let lost = DeviceID(UUID())
        for (id, device) in [(UInt64(1), lost), (2, lost), (3, DeviceID(UUID()))] {
            let session = LaneSamples.session(id, LaneSamples.identity(anna, device))
            sessions.insert(session)
            _ = sessions.remove(id)
            sessions.leaves(session)
        }
        sessions.closed(2)
        #expect(sessions.removeLeaving(of: ben) { _ in true }.isEmpty)
        #expect(sessions.removeLeaving(of: anna) { $0 == lost }.map(\.id) == [1])
        #expect(sessions.removeLeaving(of: anna) { $0 == lost }.isEmpty)
    }
}
