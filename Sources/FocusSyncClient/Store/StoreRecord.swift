import FocusCore
import Foundation
import GRDB

import struct FocusCore.Cursor

/// The one row of table `device`: the store's owner, and the state that belongs to no single event or row.
struct StoreRecord: Codable, Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "device"

    var id: Int64 = 1
    // The owner; nil until a client claims the store.
    var user: String?
    var device: String?
    /// `system`, or `app:<id>`.
    var scope: String?
    /// The current incarnation: new events get their sequences in it.
    var incarnation: Int64
    /// The last sequence that was assigned in the current incarnation; 0: none.
    var lastSequence: Int64 = 0
    /// The log has answered every event of the current incarnation up to this sequence.
    var acknowledgedSequence: Int64 = 0
    /// The place of the newest event that was ever queued.
    var lastPlace: Int64 = 0
    /// The place, in table `sent`, of the event that was answered last.
    var lastSentPlace: Int64 = 0
    /// The number of events in table `queue`, and the bytes of their payloads.
    var queuedEvents: Int64 = 0
    var queuedBytes: Int64 = 0
    /// The bytes of the events in table `sent`, as `SentRecord.keptBytes` counts them.
    var sentBytes: Int64 = 0
    // The event that was answered last, also when table `sent` holds it no longer: by it a store that was restored
    // shows itself, and so does a log that lost its tail. Nil: no event was answered yet.
    var answeredIncarnation: Int64?
    var answeredSequence: Int64?
    var answeredEvent: Data?
    /// Recalling began and is not finished (rule P10).
    var isRecalling = false
    /// The log that the last Welcome named; what is acknowledged is in it. Nil: there was no Welcome yet.
    var log: Data?
    /// A healing began and is not finished (rule S6).
    var isHealing = false
    /// The version in the newest answer about recalled or re-offered events. Welcome names no place of theirs, so until
    /// the cursor reaches that version, the log may have lost them and nothing shows it (rule S6).
    var unseenVersion: Int64 = 0
    /// The greatest time seen (rule E3), in microseconds since 1970.
    var greatestTime: Int64 = .min
    // The cursor; nil before the first snapshot.
    var cursorLog: Data?
    var cursorVersion: Int64 = 0
    var cursorEvent: Data?
    /// The bits of an unsigned 64-bit number.
    var cursorView: Int64 = 0
}

extension StoreRecord {
    /// Far more than a device ever counts, and far enough from where counting on would overflow.
    private static let most: Int64 = 1 << 60

    /// Whether the counters are such as counting makes them.
    var isSound: Bool {
        let counters = [
            lastSequence, acknowledgedSequence, lastPlace, lastSentPlace, queuedEvents, queuedBytes, sentBytes,
        ]
        return counters.allSatisfy { (0...Self.most).contains($0) } && acknowledgedSequence <= lastSequence
    }

    var owner: DeviceOwner? {
        guard let user = user.flatMap(UserID.init(text:)), let device = device.flatMap(DeviceID.init(text:)), let scope
        else { return nil }
        if scope == "system" { return DeviceOwner(user: user, device: device, scope: .system) }
        guard let app = AppID(String(scope.dropFirst(4))) else { return nil }
        return DeviceOwner(user: user, device: device, scope: .app(app))
    }

    mutating func set(_ owner: DeviceOwner) {
        user = owner.user.description
        device = owner.device.description
        scope = owner.scope.app.map { "app:\($0)" } ?? "system"
    }

    /// Whether the next connection heals (rule S6).
    var healsNext: Bool { isHealing || unseenVersion > cursorVersion }

    var eventClock: EventClock {
        get { EventClock(greatest: Timestamp(microseconds: greatestTime)) }
        set { greatestTime = newValue.greatest.microseconds }
    }

    var cursor: Cursor? {
        guard let log = cursorLog.flatMap({ LogID(bytes: $0) }), let event = cursorEvent.flatMap({ EventID(bytes: $0) })
        else { return nil }
        return Cursor(
            log: log, version: Version(cursorVersion), event: event, view: UInt64(bitPattern: cursorView))
    }

    mutating func set(_ cursor: Cursor?) {
        cursorLog = cursor.map { Data($0.log.bytes) }
        cursorVersion = cursor?.version.rawValue ?? 0
        cursorEvent = cursor.map { Data($0.event.bytes) }
        cursorView = Int64(bitPattern: cursor?.view ?? 0)
    }

    /// The sequences of the current incarnation.
    var queue: QueueRange {
        QueueRange(
            acknowledged: DeviceSequence(acknowledgedSequence), last: DeviceSequence(lastSequence))
    }

    /// The event at `queue.acknowledged`. Nil: there is none, or an earlier version of this library acknowledged it and
    /// did not keep its id.
    var answered: EventID? {
        guard answeredIncarnation == incarnation, answeredSequence == acknowledgedSequence else { return nil }
        return answeredEvent.flatMap { EventID(bytes: $0) }
    }

    mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }
}
