/// The Focus that is on, with what it lets through.
struct EffectiveFocus: Hashable, Sendable {
    var focusID: String
    var configuration: FocusRow
}

/// A Focus by its stamps: configured or not, and when it was last put off.
struct FocusEntry: Hashable, Sendable {
    var configuration: Register<FocusRow>?
    var removed: Stamp?
    var deactivated: Stamp?

    /// Nil when it was never configured, or removed since.
    var configured: FocusRow? {
        guard let configuration, removed < configuration.stamp else { return nil }
        return configuration.value
    }

    func isOff(since activation: Stamp) -> Bool { !(removed < activation) || !(deactivated < activation) }
}

/// The greatest activation (rule F1).
struct FocusActivation: Hashable, Sendable {
    var focusID: String
    var stamp: Stamp
    var endsAt: Timestamp?
    /// By itself: born so, or expired (rule F2).
    var hasEnded: Bool
}

/// What decides which Focus is on (rules F1, F2), whatever the order in which its events arrived.
struct FocusTable: Sendable {
    var entries: [ByteText: FocusEntry] = [:]
    var activation: FocusActivation?
    /// The greatest stamp of a device's Focus events, losing ones too (rule F4).
    var greatest: Stamp?

    /// The activation that stands: not replaced, put off, ended, nor without a configuration.
    var active: FocusActivation? {
        guard let activation, !activation.hasEnded, let entry = entries[ByteText(activation.focusID)],
            entry.configured != nil, !entry.isOff(since: activation.stamp)
        else { return nil }
        return activation
    }

    var effective: EffectiveFocus? {
        guard let active, let configuration = entries[ByteText(active.focusID)]?.configured else { return nil }
        return EffectiveFocus(focusID: active.focusID, configuration: configuration)
    }

    /// What a report must be later than (rule F4). An end by itself counts at its due time, written or not: so it is
    /// the same whether the activation arrived before its end or after. One that is off or not configured has no end:
    /// arriving in time it gets none, arriving late it is born with one all the same.
    var lastHeard: Stamp? {
        guard let activation, activation.hasEnded, let endsAt = activation.endsAt,
            let entry = entries[ByteText(activation.focusID)], entry.configured != nil,
            !entry.isOff(since: activation.stamp)
        else { return greatest }
        let end = Stamp(time: endsAt, device: .server, sequence: .zero)
        guard let greatest, greatest > end else { return end }
        return greatest
    }
}
