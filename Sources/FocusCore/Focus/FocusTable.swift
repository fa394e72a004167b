/// The Focus that is on, with what it lets through.
struct EffectiveFocus: Hashable, Sendable {
    var focusID: String
    var configuration: FocusRow
}

/// A Focus by its stamps: configured or not, and when it was last turned off.
struct FocusEntry: Hashable, Sendable {
    var configuration: Register<FocusRow>?
    var removed: Stamp?
    var deactivated: Stamp?

    /// Whether it was configured, and not removed since.
    var isConfigured: Bool { configuration.map { removed < $0.stamp } ?? false }

    /// Nil when it was never configured, or removed since.
    var configured: FocusRow? { isConfigured ? configuration?.value : nil }

    func isOff(since activation: Stamp) -> Bool { !(removed < activation) || !(deactivated < activation) }
}

/// The greatest activation (rule F1).
struct FocusActivation: Hashable, Sendable {
    /// The Focus; hashed once, as each post asks for the active one.
    var id: ByteText
    var stamp: Stamp
    var endsAt: Timestamp?
    /// Whether it ended by itself: it was born ended, or expired (rule F2).
    var hasEnded: Bool

    var focusID: String { id.text }

    init(focusID: String, stamp: Stamp, endsAt: Timestamp?, hasEnded: Bool) {
        id = ByteText(focusID)
        (self.stamp, self.endsAt, self.hasEnded) = (stamp, endsAt, hasEnded)
    }
}

/// What decides which Focus is on (rules F1, F2), whatever the order in which its events arrived.
struct FocusTable: Sendable {
    var entries: [ByteText: FocusEntry] = [:]
    var activation: FocusActivation?
    /// The greatest stamp of a device's Focus events, losing ones too (rule F4).
    var greatest: Stamp?

    /// The activation that stands; nil when it was turned off, has ended, or its Focus is not configured.
    var active: FocusActivation? {
        guard let activation, !activation.hasEnded, let entry = entries.index(forKey: activation.id),
            entries.values[entry].isConfigured, !entries.values[entry].isOff(since: activation.stamp)
        else { return nil }
        return activation
    }

    var effective: EffectiveFocus? {
        guard let active, let configuration = entries[active.id]?.configured else { return nil }
        return EffectiveFocus(focusID: active.focusID, configuration: configuration)
    }

    /// The stamp that a report must be later than (rule F4). An end by itself counts at its due time, whether it was
    /// written or not: so the result is the same whether the activation arrived before its end or after. The end of an
    /// activation that is off or not configured does not count: if the activation arrived in time none is written, and
    /// if it arrived late it was born ended all the same.
    var lastHeard: Stamp? {
        guard let activation, activation.hasEnded, let endsAt = activation.endsAt,
            let entry = entries[activation.id], entry.isConfigured, !entry.isOff(since: activation.stamp)
        else { return greatest }
        let end = Stamp(time: endsAt, device: .server, sequence: .zero)
        guard let greatest, greatest > end else { return end }
        return greatest
    }

    /// Rules F3 and F4: the status as an app sees it; nil when it is unavailable.
    func status(
        seenFrom app: AppID, _ access: FocusAccess, _ report: Register<Bool?>?, _ effective: EffectiveFocus?
    ) -> Bool? {
        switch access {
        case .authorized: isFocused(seenFrom: app, report, effective)
        case .reported: report?.value ?? nil
        case .denied: nil
        }
    }

    /// Rule F3: the status as an app sees it for which it is available. `report` is the app's; `effective` is this
    /// table's, made once by callers that ask for many apps.
    private func isFocused(seenFrom app: AppID, _ report: Register<Bool?>?, _ effective: EffectiveFocus?) -> Bool {
        if let isFocused = standing(report) { return isFocused }
        guard let configuration = effective?.configuration else { return false }
        return configuration.isSeen(from: app)
    }

    /// What the operating system told an app, while it is the latest word (rule F4); nil otherwise.
    func standing(_ report: Register<Bool?>?) -> Bool? {
        guard let report, let isFocused = report.value, lastHeard < report.stamp else { return nil }
        return isFocused
    }
}
