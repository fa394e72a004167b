import FocusCore
import Foundation
import Tokens

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
        guard let signed = SignedToken(token) else { throw .tokenUnreadable }
        let claims: Claims
        do {
            claims = try JSONDecoder().decode(Claims.self, from: signed.claims)
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
