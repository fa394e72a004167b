import EventStore
import FocusCore

/// What becomes of a lane's users, for sessions and watchers.
enum UserNews {
    /// Another server appended events for the user, so their rows may have changed.
    case changed(UserID)
    /// The user's state was dropped because it could not be relied on. Their sessions may lack rows, for which the user
    /// is loaded again. Eviction is not told: it leaves nobody without rows.
    case left(UserID)
    /// The user's state is about to leave memory, and knows of revoked devices: until the user is loaded again, what waits
    /// for one of them might leave (rule A3).
    case forgetsRevocations(CachedUser)
    /// The user's quarantine began or ended: what their watchers can be told is different from now on.
    case visibilityChanged(UserID)
    /// The user was loaded, or all events that other servers appended were folded: sessions may have to end.
    case caughtUp(CachedUser)
    /// Another server appended this event, and it is not folded: its user is not in memory, or not any more.
    case missed(LoggedEvent)
    /// Another server appended events for the user that revoke devices, and nobody read which.
    case missedRevocation(UserID)
}
