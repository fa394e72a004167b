/// What each of many has used of an allowance. Who has everything again is forgotten, and of too many those who have it
/// again first: they use more than they may, but who used the most stays bounded.
public struct AllowanceTable<Key: Hashable & Sendable>: Sendable {
    public let allowance: Allowance
    /// How many are remembered at the most.
    private let bound: Int
    private var uses: [Key: AllowanceUse] = [:]

    public init(_ allowance: Allowance, bound: Int = 65_536) { (self.allowance, self.bound) = (allowance, bound) }

    var count: Int { uses.count }

    /// See `AllowanceUse.rest`.
    public func rest(of key: Key, now: MonotonicTime) -> Int {
        (uses[key] ?? AllowanceUse()).rest(of: allowance, now: now)
    }

    /// See `AllowanceUse.wait`.
    /// - Parameter other: what will be used before, and is not counted yet.
    public func wait(for amount: Int, after other: Int = 0, of key: Key, now: MonotonicTime) -> Int64? {
        var use = uses[key] ?? AllowanceUse()
        if other > 0 { use.use(other, of: allowance, now: now) }
        return use.wait(for: amount, of: allowance, now: now)
    }

    /// See `AllowanceUse.use`.
    public mutating func use(_ amount: Int, by key: Key, now: MonotonicTime, most: Int64 = .max) {
        uses[key, default: AllowanceUse()].use(amount, of: allowance, now: now, most: most)
        if uses.count > bound { forget(now) }
    }

    /// Forgets half of them, so that the next time is far.
    private mutating func forget(_ now: MonotonicTime) {
        uses = uses.filter { !$0.value.isOver(now) }
        guard uses.count > bound / 2 else { return }
        let last = uses.sorted { $1.value.ends(before: $0.value) }.prefix(bound / 2)
        uses = Dictionary(uniqueKeysWithValues: last.map { ($0.key, $0.value) })
    }
}
