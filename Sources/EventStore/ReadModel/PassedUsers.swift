import FocusCore

/// Whom a checkpoint may pass although their rows lack events. Those whose rows do lack one below the new checkpoint are
/// recorded as laggards.
public enum PassedUsers: Hashable, Sendable {
    case named([UserID])
    /// Whoever has events between the batch's base and its checkpoint: too many to name, or it is not known who.
    case anybody

    public static let nobody = PassedUsers.named([])
}
