import FocusCore
import FocusSyncClient
import Foundation
import Tokens

extension TokenSigner {
    /// Signs with the key of a file, as `focusd`, `focusctl keys` or `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// Throws `CommandFailure` when the file cannot be read or holds something else.
    package init(file: String) throws {
        let text: String
        do {
            text = try TextFile.read(file)
        } catch {
            throw CommandFailure("\(error.description) Start focusd once, or say where the key is.")
        }
        guard let signer = TokenSigner(text: text) else {
            throw CommandFailure(
                "\(file) holds no key that signs: a JWK Set, at least 64 hex digits, or an Ed25519 private key in PEM.")
        }
        self = signer
    }

    /// A token of the device.
    /// - Parameters:
    ///   - seconds: the token's lifetime from now on; negative: it has expired.
    ///   - deviceClass: nil: the device says itself what it is.
    ///   - issuer: what a server demands as `iss`; nil: nothing.
    ///   - audience: what a server demands in `aud`; nil: nothing.
    package func token(
        user: UserID, device: DeviceID, scope: Scope, seconds: Double, deviceClass: DeviceClass? = nil,
        issuer: String? = nil, audience: String? = nil
    ) throws -> String {
        let expiry = Timestamp.now.adding(microseconds: Int64(seconds * 1_000_000))
        var claims = TokenClaims(
            Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass))
        (claims.issuer, claims.audience) = (issuer, audience)
        return try token(claims)
    }
}
