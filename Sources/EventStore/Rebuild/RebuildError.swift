import FocusCore

/// Why a rebuild does not begin, or does not go on. Devices and analysts then see what they saw before, except in the
/// partitions that were already cut over.
public enum RebuildError: Error, Sendable, Hashable {
    /// Another process rebuilds, rolls back or drops at this moment.
    case busy
    /// An earlier rebuild or rollback to this generation has not ended.
    case unfinished(generation: Int32)
    /// There is nothing to resume.
    case nothingToResume
    /// No other generation is kept.
    case nothingToRollBackTo
    /// Another fold than this program's has filled the generation.
    case otherFold(generation: Int32, fold: Int32)
    /// Servers that cannot read what this fold makes may still serve the log: it has this format.
    case earlierFormat(Int32)
    /// The log of the partition begins later than its first event: what came before cannot be folded.
    case historyArchived(Partition, first: LogOffset)
    /// The log of the partition holds fewer events than its offsets count.
    case historyIncomplete(Partition, expected: Int64, found: Int64)
    /// The events of a user cannot be folded: one is missing or erased, or of a type that this program does not know.
    case unfoldable(UserID, after: Version, reason: String)
    /// What was filled in is not what the events make.
    case verificationFailed(UserID, UserVerification.Verdict)
    /// The rebuild of the partition is not where this process left it: another one works on it.
    case overtaken(Partition)
}

extension RebuildError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .busy:
            "Another rebuild, rollback or drop-old is running on this database. Wait until it has ended."
        case .unfinished(let generation):
            "The change to generation \(generation) was begun and has not ended. Go on with "
                + "`focusctl projections rebuild --resume`; or, as long as no partition shows it, give it up with "
                + "`focusctl projections drop-old`."
        case .nothingToResume: "No rebuild was interrupted. Begin one without --resume."
        case .nothingToRollBackTo: "No other generation is kept. Rebuild with --keep-old to keep one."
        case .otherFold(let generation, let fold):
            "Generation \(generation) is filled by fold \(fold), and this program has fold \(FocusCore.foldVersion). "
                + "Use a focusctl of that fold."
        case .earlierFormat(let format):
            "The log has format \(format), so servers of an earlier version may still serve it, and they cannot read "
                + "what fold \(FocusCore.foldVersion) makes. Upgrade every server, run `focusctl migrate --finish`, and "
                + "rebuild."
        case .historyArchived(let partition, let first):
            "The log of partition \(partition) begins at offset \(first): older events were archived. A rebuild would "
                + "lose what they say; bring them back first."
        case .historyIncomplete(let partition, let expected, let found):
            "The log of partition \(partition) has \(found) events where its offsets count \(expected): events were "
                + "erased. A rebuild would lose what they said."
        case .unfoldable(let user, let version, let reason):
            "The events of user \(user) fold up to version \(version) and not further: \(reason). A rebuild would lose "
                + "what follows."
        case .verificationFailed(let user, let verdict):
            "What was filled in for user \(user) is not what the events make: \(verdict). Nothing was cut over."
        case .overtaken(let partition):
            "Another process works on partition \(partition) of this rebuild. Nothing was written twice; resume it."
        }
    }
}
