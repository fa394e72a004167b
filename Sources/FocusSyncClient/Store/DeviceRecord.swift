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
    var incarnation: Int64
    /// Sequences are places in the queue minus this, so that a new incarnation moves no row.
    var sequenceBase: Int64 = 0
    /// Place of the newest event ever queued.
    var lastPlace: Int64 = 0
    /// Place of the newest acknowledged event.
    var acknowledgedPlace: Int64 = 0
    var queuedBytes: Int64 = 0
    /// Of the events in table `sent`, as `SentRecord.keptBytes` counts them.
    var sentBytes: Int64 = 0
    /// A healing was begun and not finished (rule S6).
    var isHealing = false
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

    var queue: QueueRange {
        QueueRange(
            acknowledged: DeviceSequence(acknowledgedPlace - sequenceBase),
            last: DeviceSequence(lastPlace - sequenceBase))
    }
}
