import FocusCore
import Foundation

/// What a token says about its holder. It is read without being verified, which the server does. A client needs it to
/// know who the store belongs to.
public struct TokenContents: Hashable, Sendable {
    /// The user, device and scope that the token is for.
    public var owner: DeviceOwner
    /// When the token expires; nil: it does not say.
    public var expiresAt: Timestamp?

    /// Reads a JWT's claims.
    /// - Throws: `SyncClientError.tokenUnreadable`.
    public init(reading token: String) throws(SyncClientError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let json = Data(base64URL: parts[1]) else { throw .tokenUnreadable }
        let claims: Claims
        do {
            claims = try JSONDecoder().decode(Claims.self, from: json)
        } catch {
            throw .tokenUnreadable
        }
        guard let user = UserID(text: claims.sub), let device = DeviceID(text: claims.device),
            let scope = Scope(claim: claims.scope)
        else { throw .tokenUnreadable }
        owner = DeviceOwner(user: user, device: device, scope: scope)
        expiresAt = claims.exp.map { Timestamp(microseconds: Int64(max(0, min($0, 1e12))) * 1_000_000) }
    }

    private struct Claims: Decodable {
        var sub: String
        var device: String
        var scope: String
        var exp: Double?
    }
}

extension Scope {
    /// Reads a scope as tokens write it: `system` or `app:<bundle id>`. Nil for anything else.
    init?(claim: String) {
        if claim == "system" {
            self = .system
        } else if claim.hasPrefix("app:"), let app = AppID(String(claim.dropFirst(4))) {
            self = .app(app)
        } else {
            return nil
        }
    }

    var claim: String { app.map { "app:\($0)" } ?? "system" }
}

extension Data {
    /// Decodes base64url (RFC 4648 §5) without padding; nil when the text is none.
    init?(base64URL text: some StringProtocol) {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        self.init(base64Encoded: base64)
    }
}
