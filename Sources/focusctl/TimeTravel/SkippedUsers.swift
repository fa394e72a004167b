import FocusCore
import Programs

/// Users whose events cannot be read or folded: each is named and left out, and the others are told of.
struct SkippedUsers {
    private var count = 0

    /// Does `body` for a user. What it has printed before an event that cannot be read stays.
    /// - Returns: whether all was done.
    mutating func unless(_ user: UserID, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch {
            guard let failure = IntegrityFailure(of: error) else { throw error }
            Terminal.complain("User \(user) is left out. \(failure)")
            count += 1
            return false
        }
    }

    /// Throws `IntegrityFailure` when somebody was left out.
    func finish() throws {
        guard count > 0 else { return }
        throw IntegrityFailure("Users left out, as what the log has of them is damaged: \(count).")
    }
}
