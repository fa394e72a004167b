import EventStore
import FocusCore
import Foundation
import Support

@testable import SyncServer

/// The sessions of a lane without the lane, and what a test puts around them: users in memory, time, connections.
class PartSessions {
    let anna = UserID(UUID())
    let phone = DeviceID(UUID())
    let store = PartLog()
    let users = PartUsers()
    let time = PartTime()
    let connections = PartConnections()
    let state = State()

    /// What the sessions ask of their surroundings.
    final class State {
        var confirmedAt = MonotonicTime(milliseconds: 0)
        var lastWaiting = DeviceSequence.zero
        var ended: [UInt64] = []
    }

    func sessions(_ configuration: LaneConfiguration = LaneConfiguration()) -> LaneSessions {
        state.confirmedAt = time.now
        return LaneSessions(
            LaneSamples.context(time, configuration), DeliveryBatch(), confirmedAt: { [state] in state.confirmedAt },
            lastWaiting: { [state] _ in state.lastWaiting }, didEnd: { [state] in state.ended.append($0) })
    }

    func isDue(_ sessions: LaneSessions) -> Bool {
        sessions.nextDeadline { _ in false }.map { $0 <= time.now } ?? false
    }

    func told(_ id: UInt64, _ sessions: LaneSessions) -> [String] { connections.told(id, sessions.deliveries) }

    func event(_ user: CachedUser, _ version: Version) throws -> EventID? {
        try store.event(of: user.id, partition: user.partition, at: version)
    }

    @discardableResult
    func open(
        _ sessions: LaneSessions, _ id: UInt64 = 1, user: UserID? = nil, device: DeviceID? = nil,
        of deviceClass: DeviceClass = .phone, collections: Set<RowCollection>? = nil, cursor: Cursor? = nil,
        quota: Int = 1_000_000
    ) -> [String] {
        var opening = LaneSamples.opening(LaneSamples.identity(user ?? anna, device ?? phone))
        opening.view.deviceClass = deviceClass
        opening.view.collections = collections
        opening.cursor = cursor
        sessions.enqueue(connections.handle(id, quota: quota), opening)
        sessions.admit(users, event: event)
        return told(id, sessions)
    }

    func cursor(_ event: LoggedEvent, of log: LogID = LaneSamples.log) -> Cursor {
        let opening = LaneSamples.opening(LaneSamples.identity(anna, phone))
        return Cursor(log: log, version: event.version, event: event.id, view: opening.view.hash)
    }

    func revoke(_ device: DeviceID) throws -> LoggedEvent {
        let event = store.append(.deviceRevoked(DeviceRevoked(device: device)), of: anna)
        try users.load(anna, from: store)
        return event
    }
}
