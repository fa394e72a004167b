/// Decides when memory that the allocator holds and nobody uses is given back to the system: once it was unused for
/// a minute. To give it back takes the allocator's locks for a tenth of a second and more, and what is needed again
/// soon is made anew page by page.
struct UnusedMemory {
    /// How many looks a minute has.
    static let looksPerMinute = 12
    /// Less than this is soon needed again.
    static let leastBytes = 32 << 20
    /// Unused memory is large when it is more than a quarter of what is in use.
    static let share = 4
    /// Other unused memory is given back after so many minutes.
    static let patienceMinutes = 10

    private var looks = 0
    /// The least that was unused in the minute under way.
    private var least = Int.max
    private var minutes = 0

    /// Takes up a look.
    /// - Parameters:
    ///   - resident: bytes of the program's own pages that are in memory.
    ///   - used: bytes of them that are allocated.
    /// - Returns: whether to give back now what is unused.
    mutating func look(resident: Int, used: Int) -> Bool {
        least = min(least, resident - used)
        looks += 1
        guard looks == Self.looksPerMinute else { return false }
        let unused = least
        (looks, least) = (0, .max)
        guard unused > Self.leastBytes else {
            minutes = 0
            return false
        }
        minutes += 1
        guard unused > used / Self.share || minutes == Self.patienceMinutes else { return false }
        minutes = 0
        return true
    }
}
