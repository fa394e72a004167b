import FocusCore
import PostgresClient

/// What a session has to know of its user while its device has all their rows: where the streams are, and what the fold
/// remembers of devices. No row that devices get is in it.
public struct UserOutline: Sendable {
    /// A state of those rows alone: it tells heads, devices and incarnations, and folds no event.
    public let state: UserState
    /// The digests of the rows that it lacks.
    public let digests: StoredDigests
    /// Where the user's partition ended at that moment. No event of the user below it is missing.
    public let head: PartitionHead

    public init(state: UserState, digests: StoredDigests, head: PartitionHead) {
        (self.state, self.digests, self.head) = (state, digests, head)
    }

    /// Nil when the read model lacks events of the user or the digest sums of their version, or shows another
    /// generation. What else is wrong with the user is for a load to say.
    init?(_ stored: StoredUser, hasMore: Bool, digests: [UInt8]?, _ generation: Generation, rules: FoldRules) {
        guard !hasMore, stored.head.generation == generation.number else { return nil }
        if stored.version == .zero {
            self.digests = .none
        } else {
            guard let digests = digests.flatMap({ try? StoredDigests(decoding: $0) }) else { return nil }
            self.digests = digests
        }
        guard let state = try? stored.shownState(rules) else { return nil }
        (self.state, head) = (state, stored.head)
    }
}

/// Users for whom a lane has asked.
public struct FoundUsers: Sendable {
    public var loaded: [UserID: Result<LoadedUser, any Error>]
    /// Those of whom nothing but an outline is needed.
    public var outlines: [UserID: UserOutline]

    public init(loaded: [UserID: Result<LoadedUser, any Error>] = [:], outlines: [UserID: UserOutline] = [:]) {
        (self.loaded, self.outlines) = (loaded, outlines)
    }
}
