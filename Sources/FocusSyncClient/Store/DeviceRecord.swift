import FocusCore
import Foundation
import GRDB

import struct FocusCore.Cursor

/// The one row of table `device`: who the store belongs to and where it stands.
struct DeviceRecord: Codable, Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "device"

    var id: Int64 = 1
    // The owner; nil until the first session.
    var user: String?
    var device: String?
    /// `system`, or `app:<id>`.
    var scope: String?
    /// The current one; new events get their sequences in it.
    var incarnation: Int64
    /// The newest sequence given in it.
    var lastSequence: Int64 = 0
    /// Everything through it was answered in it.
    var acknowledgedSequence: Int64 = 0
    /// Place of the newest event ever queued.
    var lastPlace: Int64 = 0
    /// Place of the event that was answered last, in table `sent`.
    var lastSentPlace: Int64 = 0
    /// Of table `queue`.
    var queuedEvents: Int64 = 0
    var queuedBytes: Int64 = 0
    /// Of the events in table `sent`, as `SentRecord.keptBytes` counts them.
    var sentBytes: Int64 = 0
    // The event that was answered last, also when table `sent` has it no longer: by it a store that was restored, and a
    // log that lost its tail, show themselves. Nil: none was.
    var answeredIncarnation: Int64?
    var answeredSequence: Int64?
    var answeredEvent: Data?
    /// Recalling was begun and not finished (rule P10).
    var isRecalling = false
    /// The log of the last Welcome: whatever is acknowledged is in it. Nil: there was none.
    var log: Data?
    /// A healing was begun and not finished (rule S6).
    var isHealing = false
    /// The version in the newest answer about recalled or offered events. Welcome names no place of theirs, so until the
    /// cursor reaches that version the log may have lost them and nothing shows it (rule S6).
    var unseenVersion: Int64 = 0
    /// The greatest time seen (rule E3), in microseconds.
    var greatestTime: Int64 = .min
    // The cursor; nil before the first snapshot.
    var cursorLog: Data?
    var cursorVersion: Int64 = 0
    var cursorEvent: Data?
    /// The bits of an unsigned number.
    var cursorView: Int64 = 0
}

extension DeviceRecord {
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

    /// Of the current incarnation.
    var queue: QueueRange {
        QueueRange(
            acknowledged: DeviceSequence(acknowledgedSequence), last: DeviceSequence(lastSequence))
    }

    /// The event at `queue.acknowledged`; nil: there is none, or a version of this library that did not keep it
    /// acknowledged it.
    var answered: EventID? {
        guard answeredIncarnation == incarnation, answeredSequence == acknowledgedSequence else { return nil }
        return answeredEvent.flatMap { EventID(bytes: $0) }
    }

    mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }
}
