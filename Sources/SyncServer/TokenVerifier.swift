import FocusCore
import Foundation
import JWTKit

/// What a device's token says (rule A1). `sub` is the user; the rest are claims of our own.
public struct TokenClaims: JWTPayload {
    public var sub: SubjectClaim
    public var exp: ExpirationClaim
    /// Absent: valid at once.
    public var nbf: NotBeforeClaim?
    public var device: String
    /// `system`, or `app:<bundle id>`.
    public var scope: String
    public var deviceClass: String?

    enum CodingKeys: String, CodingKey {
        case sub, exp, nbf, device, scope
        case deviceClass = "class"
    }

    public init(_ identity: Identity) {
        sub = SubjectClaim(value: identity.user.description)
        exp = ExpirationClaim(value: Date(timeIntervalSince1970: Double(identity.expiresAt.microseconds) / 1_000_000))
        device = identity.device.description
        scope = identity.scope.app.map { "app:\($0)" } ?? "system"
        deviceClass = identity.deviceClass?.rawValue
    }

    /// Its times are judged with the server's clock, in `TokenVerifier`.
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
        guard let expiry = Timestamp(claimed: exp.value) else { return nil }
        return Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)
    }
}

extension Timestamp {
    /// Nil: not a moment that 64 bits of microseconds can hold. A claim is any number.
    fileprivate init?(claimed date: Date) {
        guard let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) else { return nil }
        self.init(microseconds: microseconds)
    }
}

/// The header (RFC 7515 §4.1), as far as anything hangs on it. JWTKit verifies with the key that it has, whatever
/// algorithm the header names, and passes over `crit`.
private struct TokenHeader: Decodable {
    var alg: String
    /// Extensions that must be understood; this program knows none.
    var crit: [String]?

    init?(of token: String) {
        guard let part = token.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first,
            let header = try? JSONDecoder().decode(Self.self, from: Data(base64URL: part))
        else { return nil }
        self = header
    }
}

extension Data {
    /// RFC 4648 §5, without padding; empty when it is none.
    fileprivate init(base64URL text: Substring) {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self = Data(base64Encoded: base64 + padding) ?? Data()
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
    /// How far ahead a token may end: a year, and a month to renew it in. One that ends later, or never, is its
    /// issuer's mistake, which a stolen device would live on for ever.
    static let longestLife: Int64 = 400 * 86_400 * 1_000_000
    /// How far ahead `nbf` may be: an issuer's clock and a server's differ (RFC 7519 §4.1.5).
    static let leeway: Int64 = 60 * 1_000_000

    private let keys = JWTKeyCollection()
    private let algorithm: String

    public init(_ key: TokenKey) async throws {
        switch key {
        case .secret(let bytes):
            algorithm = "HS256"
            await keys.add(hmac: HMACKey(from: Data(bytes)), digestAlgorithm: .sha256)
        case .ed25519PublicPEM(let pem):
            algorithm = "EdDSA"
            await keys.add(eddsa: try EdDSA.PublicKey(pem: pem))
        }
    }

    func identity(of token: String, now: Timestamp) async -> Identity? {
        // Why a token is bad is nobody's business but its issuer's, who can look into it.
        guard let header = TokenHeader(of: token), header.alg == algorithm, header.crit == nil,
            let claims = try? await keys.verify(token, as: TokenClaims.self), let identity = claims.identity,
            identity.expiresAt > now, identity.expiresAt <= now.adding(microseconds: Self.longestLife)
        else { return nil }
        if let notBefore = claims.nbf {
            guard let begin = Timestamp(claimed: notBefore.value), begin <= now.adding(microseconds: Self.leeway)
            else { return nil }
        }
        return identity
    }
}
