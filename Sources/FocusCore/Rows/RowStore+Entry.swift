extension RowStore {
    /// A row, or the trace of one. A user has thousands, which are looked up in no order, so an entry takes as few cache
    /// lines as it can: its optional parts are stored without the padding that an optional adds.
    struct Entry: Sendable {
        let key: RowKey
        var version: Version
        /// The version of the event that made the row; zero for a row that came from the read model.
        var appearedAt: Version
        var value: [UInt8]
        /// The version in the stream of its app (rule Z1) at which the row last changed.
        var place = Version.zero
        private var hashBits: (high: UInt64, low: UInt64) = (0, 0)
        private var slot = Self.noSlot
        private var hasHash = false
        /// True while its number is in `unhashed`.
        var awaitsHash = false
        var isDeleted: Bool

        /// A version that no row has.
        static let freeVersion = Version(-1)
        private static let noSlot: Int32 = -1

        init(
            key: RowKey, version: Version, appearedAt: Version, isDeleted: Bool = false, value: [UInt8] = []
        ) {
            self.key = key
            self.version = version
            self.appearedAt = appearedAt
            self.isDeleted = isDeleted
            self.value = value
        }

        /// True when there is no row of that number now.
        var isFree: Bool { version == Self.freeVersion }

        /// Nil for tombstones, and until a digest is asked for.
        var hash: RowHash? {
            get { hasHash ? RowHash(value: UInt128(hashBits.high) << 64 | UInt128(hashBits.low)) : nil }
            set {
                hasHash = newValue != nil
                guard let value = newValue?.value else { return }
                hashBits = (UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
            }
        }

        /// The slot of its app's stream; nil when no app sees the row.
        var stream: Int? {
            get { slot == Self.noSlot ? nil : Int(slot) }
            set { slot = newValue.map(Int32.init) ?? Self.noSlot }
        }
    }
}
