import FocusCore
import Testing

@Suite("Partition")
struct PartitionTests {
    /// Computed in Python: `int.from_bytes(hashlib.sha256(uuid.bytes).digest()[:8], 'big') % count`.
    private static let vectors: [(user: String, counts: [Int32: Int32])] = [
        ("00000000-0000-0000-0000-000000000000", [1: 0, 16: 5, 7: 2, 4096: 3541]),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", [1: 0, 16: 9, 7: 2, 4096: 9]),
        ("018f4e5c-7b1a-7c3e-9d2f-0123456789ab", [1: 0, 16: 5, 7: 4, 4096: 3301]),
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", [1: 0, 16: 3, 7: 4, 4096: 3459]),
        ("f47ac10b-58cc-4372-a567-0e02b2c3d479", [1: 0, 16: 3, 7: 6, 4096: 1059]),
    ]

    @Test("A user's partition is the hash's first 8 bytes, big-endian, mod P, for ever")
    func vectors() throws {
        for vector in Self.vectors {
            let user = try #require(UserID(text: vector.user))
            for (count, partition) in vector.counts {
                #expect(Partition.of(user: user, count: count) == Partition(partition), "\(vector.user) of \(count)")
            }
        }
    }
}
