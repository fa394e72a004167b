import FocusCore
import Foundation
import JWTKit

/// The claims of a device's token (rule A1). `sub`, the user, `exp` and `nbf` are claims of RFC 7519; the others are
/// our own.
public struct TokenClaims: JWTPayload {
    public var sub: SubjectClaim
    public var exp: ExpirationClaim
    /// Absent when the token is valid at once.
    public var nbf: NotBeforeClaim?
    public var device: String
    /// `system`, or `app:<bundle id>`.
    public var scope: String
    /// The claim `class`: a raw value of `DeviceClass`. Absent when the device names its class in Hello.
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

    /// Checks nothing: `TokenVerifier` compares the token's times with the server's clock.
    public func verify(using algorithm: some JWTAlgorithm) throws {}

    /// The identity that the claims give; nil when one of them has no valid value.
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
    /// Nil when 64 bits of microseconds cannot hold the date: a claim may be any number.
    init?(claimed date: Date) {
        guard let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) else { return nil }
        self.init(microseconds: microseconds)
    }
}
