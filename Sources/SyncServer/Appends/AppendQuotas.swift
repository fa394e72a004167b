import FocusCore

/// Events that a device appends, and the bytes of their payloads.
struct AppendUse: Hashable, Sendable {
    var events = 0
    var bytes = 0

    mutating func add(payloadBytes: Int) {
        events += 1
        bytes += payloadBytes
    }
}

/// What the devices of a lane's users have appended lately, against their quotas of a day (rule Q5). It is kept in
/// memory: a restart begins anew.
final class AppendQuotas {
    private var events: AllowanceTable<QuotaKey>
    private var bytes: AllowanceTable<QuotaKey>

    init(_ configuration: LaneConfiguration) {
        events = AllowanceTable(.day(configuration.eventsPerDay))
        bytes = AllowanceTable(.day(configuration.bytesPerDay))
    }

    /// What the device may append now.
    func rest(of device: QuotaKey, now: MonotonicTime) -> AppendUse {
        AppendUse(events: events.rest(of: device, now: now), bytes: bytes.rest(of: device, now: now))
    }

    /// After how many milliseconds the device may append an event, after others that are not counted yet; nil: now.
    func wait(payloadBytes: Int, after staged: AppendUse, of device: QuotaKey, now: MonotonicTime) -> Int64? {
        let waits = [
            events.wait(for: 1, after: staged.events, of: device, now: now),
            bytes.wait(for: payloadBytes, after: staged.bytes, of: device, now: now),
        ]
        return waits.compactMap(\.self).max()
    }

    /// Counts what was committed.
    func use(_ uses: [QuotaKey: AppendUse], now: MonotonicTime) {
        for (device, use) in uses {
            events.use(use.events, by: device, now: now)
            bytes.use(use.bytes, by: device, now: now)
        }
    }
}

/// A device's quota while its events are staged.
struct AppendRoom {
    private let quotas: AppendQuotas
    private let device: QuotaKey
    private let now: MonotonicTime
    private let rest: AppendUse
    /// What the statement holds of the device's events by now; none of it is counted before it is committed.
    private(set) var used: AppendUse

    init(_ quotas: AppendQuotas, _ device: QuotaKey, staged: AppendUse, now: MonotonicTime) {
        (self.quotas, self.device, self.now, used) = (quotas, device, now, staged)
        rest = quotas.rest(of: device, now: now)
    }

    /// The answer to another event when it is past the quota; nil: it may be appended.
    func exceeded(payloadBytes: Int, at sequence: DeviceSequence) -> ProtocolError? {
        guard let wait = wait(payloadBytes: payloadBytes) else { return nil }
        let message = "This device has appended what it may in a day. Keep what is left, and send again later."
        return ProtocolError(
            .quotaExceeded, message, retryAfterMilliseconds: UInt32(clamping: wait), sequence: sequence)
    }

    /// After how many milliseconds another event may be appended; nil: now.
    private func wait(payloadBytes: Int) -> Int64? {
        if used.events < rest.events, used.bytes + payloadBytes <= rest.bytes { return nil }
        return quotas.wait(payloadBytes: payloadBytes, after: used, of: device, now: now)
    }

    mutating func use(payloadBytes: Int) { used.add(payloadBytes: payloadBytes) }
}
