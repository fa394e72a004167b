import FocusCore

/// A user whose rows are hashed over several turns, and how many of them are left.
struct HalfHashed {
    var user: UserID
    var rows: Int
}
