import FocusCore
import Testing

@testable import EventStore

@Suite("RowCauses")
struct RowCausesTests {
    private let key = RowKey(.badges, app: AppID("com.example.chat"))

    private func collect(_ changes: [(Int64, Bool)], from: Int64 = 0, to: Int64 = 100) throws -> RowCauses.Known? {
        var before = UserState(user: UserID(DeviceID.server.uuid))
        for version in 0..<from {
            let event = Event(
                version: Version(version + 1), device: .server, incarnation: Incarnation(0),
                sequence: DeviceSequence(version + 1), id: EventID(DeviceID.server.uuid), app: nil,
                occurredAt: Timestamp(microseconds: 0), recordedAt: Timestamp(microseconds: 0),
                body: .eventRefused(EventRefused(type: "badge.cleared", code: "invalid", message: "")))
            try before.applyQuietly(event)
        }
        var causes = RowCauses(after: before, through: Version(to), limit: 3)
        // One list after the other, as they are kept.
        for change in changes {
            var list = RowChanges(
                start: .zero, startEvent: before.lastEvent, end: Version(to), endEvent: before.lastEvent)
            list.list = [.init(version: Version(change.0), isDeleted: change.1)]
            list.rows = [.init(key: key, changes: 0..<1)]
            causes.add(list)
        }
        return causes.rows[key]
    }

    @Test("The last few versions are kept, and how many came before is counted")
    func bounded() throws {
        let known = try collect((1...7).map { ($0, false) })
        #expect(known?.last == [5, 6, 7].map { Version($0) } && known?.omitted == 4)
        #expect(try collect([(1, false), (2, false), (3, false)])?.omitted == 0)
    }

    @Test("Only versions past the first state and up to the last count")
    func window() throws {
        let known = try collect([(2, false), (3, false), (9, false), (10, false)], from: 2, to: 9)
        #expect(known?.last == [Version(3), Version(9)])
        #expect(try collect([(1, false), (2, false)], from: 2) == nil)
    }

    @Test("A row that came and went is forgotten, and what made it again counts alone")
    func cameAndWent() throws {
        #expect(try collect([(1, false), (2, true)]) == nil)
        #expect(try collect([(1, false), (2, true), (5, false)])?.last == [Version(5)])
    }
}
