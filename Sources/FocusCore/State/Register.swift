/// A value that is replaced, and when that was last done (rule E3).
struct Register<Value: Hashable & Sendable>: Hashable, Sendable {
    private(set) var stamp: Stamp
    private(set) var value: Value

    init(_ value: Value, _ stamp: Stamp) {
        self.value = value
        self.stamp = stamp
    }
}

extension Optional {
    /// Writes a register that may not have been written yet. Returns false when a later write stands and nothing
    /// changed.
    mutating func write<Value>(_ value: Value, _ stamp: Stamp) -> Bool where Wrapped == Register<Value> {
        if let current = self, current.stamp >= stamp { return false }
        self = Register(value, stamp)
        return true
    }
}

extension Optional where Wrapped == Stamp {
    /// Nil is before everything.
    static func < (a: Self, b: Stamp) -> Bool {
        guard let a else { return true }
        return a < b
    }

    mutating func raise(to stamp: Stamp) {
        if self < stamp { self = stamp }
    }
}
