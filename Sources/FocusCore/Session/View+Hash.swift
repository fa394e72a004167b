import Crypto

extension View {
    /// What a cursor says of its view (rule S4): the first 8 bytes, big-endian, of the SHA-256 of
    /// `scope|class|collections`: scope is `system`, `app:<id>`, or `app:<id>/<fold version>`
    /// where versions are those of the app's own stream (rule Z1), as the fold counts them; behind a class that the token does not say stands a
    /// `?` in system scope (rule N13); collections are sorted and joined by commas, `*` for all.
    public var hash: UInt64 {
        let scopeText =
            switch scope {
            case .system: "system"
            case .app(let app): isSilent ? "app:\(app)/\(FocusCore.foldVersion)" : "app:\(app)"
            }
        let collectionText = collections.map { $0.map(\.rawValue).sorted().joined(separator: ",") } ?? "*"
        let claim = isClassProven || scope != .system ? "" : "?"
        let text = "\(scopeText)|\(deviceClass.rawValue)\(claim)|\(collectionText)"
        return SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
