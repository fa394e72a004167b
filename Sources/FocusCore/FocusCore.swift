/// The pure part of focus-sync: what the domain's rules say, and nothing about where bytes come from.
///
/// Flow: event → `UserState.validate` → refusal or `UserState.apply` → changed rows → delta;
/// frame → `Session` → actions.
///
/// Nothing here reads a clock, a random number, a file, a socket or a time zone. Server, client library, replay,
/// rebuild and tests all run this one fold, so equal logs give equal rows, byte for byte.
public enum FocusCore {
    /// The version of focus-sync, by semantic versioning: of its programs, its client library and its package. The newest
    /// heading of `.github/CHANGELOG.md`.
    public static let version = "0.1.0"

    /// The fold's version: raised by every change of a rule that can change a row's bytes. A read model built by
    /// another version may be read but not written.
    public static let foldVersion: Int32 = 7
}
