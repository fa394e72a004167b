/// Decides when memory that the allocator holds and nobody uses is given back to the system: once two looks in a row
/// have found it unused. To give it back takes the allocator's locks for a tenth of a second and more, and what is
/// needed again soon is made anew page by page.
struct UnusedMemory {
    /// Less than this is soon needed again.
    static let leastBytes = 32 << 20
    /// Unused memory is large when it is more than a quarter of what is in use.
    static let share = 4
    /// Other unused memory is given back when so many looks have found it.
    static let patience = 5

    /// What was unused at the look before; zero: that is not known, or was given back.
    private var before = 0
    /// How many looks in a row have found some.
    private var found = 0

    /// Takes up a look.
    /// - Parameters:
    ///   - resident: bytes of the program's own pages that are in memory.
    ///   - used: bytes of them that are allocated.
    /// - Returns: whether to give back now what is unused.
    mutating func look(resident: Int, used: Int) -> Bool {
        let unused = resident - used
        let kept = min(before, unused)
        before = unused
        guard kept > Self.leastBytes else {
            found = 0
            return false
        }
        found += 1
        guard kept > used / Self.share || found == Self.patience else { return false }
        (before, found) = (0, 0)
        return true
    }
}
