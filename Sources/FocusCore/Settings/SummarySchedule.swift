/// What a scheduler needs to know of a user to append `summary.delivered` (rule T3). Only the scheduler knows time
/// zones; the fold has none.
///
/// A summary is due at the latest local time of `times` that is after `dueAfter` and not after now. While something
/// waits, the next one comes at the first local time after both. The scheduler must ask again after every event of the
/// user.
public struct SummarySchedule: Hashable, Sendable {
    /// Minutes after local midnight, 0…1,439, ascending, each once; at least one.
    public var times: [Int32]
    /// A name of the IANA time-zone database, as a device sent it: perhaps none that the server knows.
    public var timeZone: String
    /// The stamp of the register's last write, which `summary.delivered` names.
    public var stamp: Stamp
    /// When the last delivered summary was due, of whatever schedule.
    public var lastDelivered: Timestamp?
    /// Since when, by the server's clock, alerts have been waiting for a summary without a break; nil when none waits.
    /// No summary is due then, so the streams of idle users do not grow.
    public var waitingSince: Timestamp?

    /// Only a time later than this can be due; nil when none can. A summary whose time passed before anything waited,
    /// or before the schedule was set, or that was delivered, does not come later.
    public var dueAfter: Timestamp? {
        guard let waitingSince else { return nil }
        return max(waitingSince, stamp.time, lastDelivered ?? waitingSince)
    }

    /// What to append, with `dueAt` in `occurredAt`.
    public func delivery(dueAt: Timestamp) -> SummaryDelivered { SummaryDelivered(schedule: stamp, dueAt: dueAt) }
}

/// The schedule and what became of it. It is the memo of the row in `delivery_schedule`; without a row there may still
/// be a stamp.
struct SummaryTable: Hashable, Sendable {
    /// The schedule; a value without times means that it was removed.
    var schedule: Register<DeliveryScheduleRow>?
    var lastDelivered: Timestamp?
    var waitingSince: Timestamp?

    /// Without any time scheduled delivery holds nothing: nothing would ever release it.
    var holdsAlerts: Bool { schedule?.value.times.isEmpty == false }

    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, schedule?.stamp)
        writer.presentInt(2, lastDelivered?.microseconds)
        writer.presentInt(3, waitingSince?.microseconds)
        return writer.bytes
    }

    mutating func read(memo: [UInt8], value: DeliveryScheduleRow?) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var stamp: Stamp?
        while let (field, inner) = try reader.next() {
            switch field {
            case 1: stamp = try inner.stamp()
            case 2: lastDelivered = try inner.timestamp()
            case 3: waitingSince = try inner.timestamp()
            default: break
            }
        }
        guard stamp != nil || value == nil else { throw .malformed }
        schedule = stamp.map { Register(value ?? DeliveryScheduleRow(times: [], timeZone: ""), $0) }
    }
}
