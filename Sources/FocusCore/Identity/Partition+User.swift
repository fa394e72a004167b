import Crypto

extension Partition {
    /// The partition that a user's stream lives in: the first 8 bytes, big-endian, of the SHA-256 of the user id's 16
    /// bytes, modulo the number of partitions. Fixed for ever: users stay where their events are.
    public static func of(user: UserID, count: Int32) -> Partition {
        precondition(count > 0, "a log has at least one partition")
        let hash = SHA256.hash(data: user.bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Partition(Int32(hash % UInt64(count)))
    }
}
