/// The mutes of an app (rule N16): a register, with its last writes, because a post is judged by what held at *its*
/// stamp (N9.3), and may arrive after a later mute or unmute.
struct MuteHistory: Hashable, Sendable {
    /// How many writes are kept. A post from before all of these counts as not muted.
    static let limit = 16

    /// Ascending by stamp. A value of nil is an unmute.
    private(set) var writes: [Register<Timestamp?>] = []

    var isWritten: Bool { !writes.isEmpty }

    /// When the mute ends; nil when the last write unmuted the app, or there is none.
    var until: Timestamp? { writes.last.flatMap(\.value) }

    /// Returns whether the write was kept.
    mutating func write(_ until: Timestamp?, _ stamp: Stamp) -> Bool {
        let index = writes.firstIndex { $0.stamp >= stamp } ?? writes.count
        if index < writes.count, writes[index].stamp == stamp { return false }
        if writes.count == Self.limit {
            guard index > 0 else { return false }
            writes.insert(Register(until, stamp), at: index)
            writes.removeFirst()
        } else {
            writes.insert(Register(until, stamp), at: index)
        }
        return true
    }

    /// Rule N9.3. A mute ends at `until`: a post at exactly that moment is not muted.
    func isMuted(at stamp: Stamp) -> Bool {
        guard let until = writes.last(where: { $0.stamp < stamp })?.value else { return false }
        return stamp.time < until
    }
}
