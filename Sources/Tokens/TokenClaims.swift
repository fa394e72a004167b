import FocusCore
import Foundation

/// The claims of a device's token (rule A1). `sub`, the user, `exp` and `nbf` are claims of RFC 7519 §4.1; the others
/// are our own.
public struct TokenClaims: Codable, Sendable {
    /// The user, a UUID.
    public var sub: String
    /// The end of the token, in seconds since 1970.
    public var exp: Double
    /// The beginning of the token, in seconds since 1970. Absent when the token is valid at once.
    public var nbf: Double?
    /// The device, a UUID.
    public var device: String
    /// `system`, or `app:<bundle id>`.
    public var scope: String
    /// The issuer; absent when no server asks for one.
    public var issuer: String?
    /// Whom the token is for; absent when no server asks.
    public var audience: String?
    /// The claim `class`: a raw value of `DeviceClass`. Absent when the device names its class in Hello.
    public var deviceClass: String?

    /// Whether the token is for operators: then it is no device's.
    private(set) var isForAdmin = false

    enum CodingKeys: String, CodingKey {
        case sub, exp, nbf, device, scope
        case issuer = "iss"
        case audience = "aud"
        case deviceClass = "class"
    }

    public init(_ identity: Identity) {
        sub = identity.user.description
        exp = Double(identity.expiresAt.microseconds) / 1_000_000
        device = identity.device.description
        scope = identity.scope.claim
        deviceClass = identity.deviceClass?.rawValue
    }

    /// Does not keep issuer and audience: their form matters only where a server demands them (`TokenDemands`).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sub = try container.decode(String.self, forKey: .sub)
        exp = try container.decode(Double.self, forKey: .exp)
        nbf = try container.decodeIfPresent(Double.self, forKey: .nbf)
        device = try container.decode(String.self, forKey: .device)
        scope = try container.decode(String.self, forKey: .scope)
        deviceClass = try container.decodeIfPresent(String.self, forKey: .deviceClass)
        let audience = try? container.decodeIfPresent(AudienceList.self, forKey: .audience)
        isForAdmin = audience?.contains(AdminClaims.audience) ?? false
    }

    /// The identity that the claims give; nil when one of them has no valid value. Compares no times.
    public var identity: Identity? {
        guard let user = UserID(text: sub), let device = DeviceID(text: device), device != .server,
            let scope = Scope(claim: scope), let expiry = Timestamp(claimed: exp)
        else { return nil }
        let deviceClass = deviceClass.flatMap(DeviceClass.init)
        if self.deviceClass != nil, deviceClass == nil { return nil }
        return Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)
    }
}

extension Timestamp {
    /// A NumericDate (RFC 7519 §2), in seconds. Nil when 64 bits of microseconds cannot hold it: a claim may be any
    /// number.
    init?(claimed seconds: Double) {
        guard let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()) else { return nil }
        self.init(microseconds: microseconds)
    }
}
