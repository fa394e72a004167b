import FocusCore
import Foundation
import JWTKit

/// What a device's token says (rule A1). `sub` is the user; the rest are claims of our own.
public struct TokenClaims: JWTPayload {
    public var sub: SubjectClaim
    public var exp: ExpirationClaim
    public var device: String
    /// `system`, or `app:<bundle id>`.
    public var scope: String
    public var deviceClass: String?

    enum CodingKeys: String, CodingKey {
        case sub, exp, device, scope
        case deviceClass = "class"
    }

    public init(_ identity: Identity) {
        sub = SubjectClaim(value: identity.user.description)
        exp = ExpirationClaim(value: Date(timeIntervalSince1970: Double(identity.expiresAt.microseconds) / 1_000_000))
        device = identity.device.description
        scope = identity.scope.app.map { "app:\($0)" } ?? "system"
        deviceClass = identity.deviceClass?.rawValue
    }

    /// Expiry is judged with the server's clock, in `TokenVerifier`.
    public func verify(using algorithm: some JWTAlgorithm) throws {}

    /// Nil when a claim is not what it must be.
    public var identity: Identity? {
        guard let user = UserID(text: sub.value), let device = DeviceID(text: device), device != .server else {
            return nil
        }
        let scope: Scope
        if self.scope == "system" {
            scope = .system
        } else if self.scope.hasPrefix("app:"), let app = AppID(String(self.scope.dropFirst(4))) {
            scope = .app(app)
        } else {
            return nil
        }
        let deviceClass = deviceClass.flatMap(DeviceClass.init)
        if self.deviceClass != nil, deviceClass == nil { return nil }
        let expiry = Timestamp(microseconds: Int64((exp.value.timeIntervalSince1970 * 1_000_000).rounded()))
        return Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)
    }
}

/// A key that signs tokens, or only checks them.
public enum TokenKey: Sendable {
    /// HS256; at least 32 bytes (RFC 7518 §3.2).
    case secret([UInt8])
    /// EdDSA: an Ed25519 public key, PEM.
    case ed25519PublicPEM(String)
}

/// Checks tokens. Whatever is wrong with one, the answer is the same: nil (rule A1).
public struct TokenVerifier: Sendable {
    private let keys = JWTKeyCollection()

    public init(_ key: TokenKey) async throws {
        switch key {
        case .secret(let bytes): await keys.add(hmac: HMACKey(from: Data(bytes)), digestAlgorithm: .sha256)
        case .ed25519PublicPEM(let pem): await keys.add(eddsa: try EdDSA.PublicKey(pem: pem))
        }
    }

    func identity(of token: String, now: Timestamp) async -> Identity? {
        // Why a token is bad is nobody's business but its issuer's, who can look into it.
        guard let claims = try? await keys.verify(token, as: TokenClaims.self), let identity = claims.identity,
            identity.expiresAt > now
        else { return nil }
        return identity
    }
}
