import EventStore
import FocusCore

/// What becomes of a lane's users, for those who tell devices of them.
enum UserNews {
    /// The user's rows changed, or may have: by another server's events, or by a rebuild.
    case changed(UserID)
    /// The user left memory: what is told of their rows needs them again.
    case left(UserID)
    /// What others see of the user changed, or can be told again.
    case visibilityChanged(UserID)
    /// The state was loaded, or has what other servers appended: sessions may have to end.
    case caughtUp(CachedUser)
    /// A user who is not in memory has an event that another server appended.
    case missed(LoggedEvent)
}
