import FocusCore
import Tokens

@testable import SyncServer

/// Tokens without signatures: each one says in plain text whose it is.
struct SimulatedTokens: TokenCheck {
    func check(_ token: String, now: Timestamp) throws(TokenFlaw) -> (identity: Identity, key: TokenKeyMark?) {
        guard let identity = Self.identity(of: token) else { throw .malformed }
        guard identity.expiresAt > now else { throw .expired }
        return (identity, nil)
    }

    func accepts(_ key: TokenKeyMark, now: Timestamp) -> Bool { true }

    static func token(_ identity: Identity) -> String {
        "\(identity.user)|\(identity.device)|\(identity.scope.app?.rawValue ?? "")|\(identity.expiresAt.microseconds)"
    }

    private static func identity(of token: String) -> Identity? {
        let parts = token.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let user = UserID(text: parts[0]), let device = DeviceID(text: parts[1]),
            let expiry = Int64(parts[3])
        else { return nil }
        let scope = AppID(parts[2]).map { Scope.app($0) } ?? .system
        return Identity(
            user: user, device: device, scope: scope, expiresAt: Timestamp(microseconds: expiry), deviceClass: nil)
    }
}
