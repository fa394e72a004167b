/// The defaults that an app's greatest registration gave (domain.md §6).
struct PreferenceDefaults: Hashable, Sendable {
    var build: Int64
    var stamp: Stamp
    /// What each key's row holds while nobody has set it: `PreferenceRow` bytes.
    var rows: [ByteText: [UInt8]]

    /// Whether a registration of this build and stamp replaces these: by build, then by stamp, so that an old install
    /// does not flip them back.
    func yields(to build: Int64, _ stamp: Stamp) -> Bool { (self.build, self.stamp) < (build, stamp) }
}

/// What is remembered of an app's preferences beside their rows. The value of a set key is only in its row.
struct PreferenceTable: Sendable {
    var defaults: PreferenceDefaults?
    /// When each key was last set (true) or reset (false).
    private(set) var writes: [ByteText: Register<Bool>] = [:]
    private(set) var setCount = 0

    func isSet(_ key: ByteText) -> Bool { writes[key]?.value == true }

    /// Returns false when a later write stands.
    mutating func write(_ key: ByteText, isSet: Bool, _ stamp: Stamp) -> Bool {
        let wasSet = self.isSet(key)
        guard writes[key].write(isSet, stamp) else { return false }
        setCount += (isSet ? 1 : 0) - (wasSet ? 1 : 0)
        return true
    }

    /// Forgets the oldest resets beyond the bound (rule E5) and returns their keys.
    mutating func forgetResets() -> [ByteText] {
        var forgotten: [ByteText] = []
        while writes.count - setCount > EventLimits.rememberedResetsPerApp {
            // Equal stamps come from two incarnations of a device; then the key decides, not the dictionary's order.
            let oldest = writes.lazy.filter { !$0.value.value }.min {
                ($0.value.stamp, $0.key) < ($1.value.stamp, $1.key)
            }
            guard let oldest else { return forgotten }
            writes[oldest.key] = nil
            forgotten.append(oldest.key)
        }
        return forgotten
    }

    /// Rule E5: whether `key` may get a value.
    func hasRoom(forSetting key: ByteText) -> Bool {
        guard let defaults else { return isSet(key) || setCount < EventLimits.preferencesPerApp }
        if isSet(key) || defaults.rows[key] != nil { return true }
        guard setCount + defaults.rows.count >= EventLimits.preferencesPerApp else { return true }
        return setCount + defaults.rows.keys.count { !isSet($0) } < EventLimits.preferencesPerApp
    }

    /// Rule E5: whether these may be the keys that have a default.
    func hasRoom(forDefaults keys: [ByteText]) -> Bool {
        setCount + keys.count { !isSet($0) } <= EventLimits.preferencesPerApp
    }
}
