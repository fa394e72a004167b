import Foundation

/// What a server demands of tokens beyond rule A1's claims.
public struct TokenDemands: Sendable {
    /// The `iss` that a token must have (RFC 7519 §4.1.1); nil: any, or none.
    public var issuer: String?
    /// What must be in a token's `aud` (RFC 7519 §4.1.3); nil: anything, or nothing.
    public var audience: String?

    public init(issuer: String? = nil, audience: String? = nil) {
        (self.issuer, self.audience) = (issuer, audience)
    }

    func areMet(by claims: Data) -> Bool {
        guard issuerIsMet(by: claims) else { return false }
        if let audience {
            guard let found = try? JSONDecoder().decode(AudienceClaim.self, from: claims), found.aud.contains(audience)
            else { return false }
        }
        return true
    }

    func issuerIsMet(by claims: Data) -> Bool {
        guard let issuer else { return true }
        return (try? JSONDecoder().decode(IssuerClaim.self, from: claims))?.iss == issuer
    }
}

private struct IssuerClaim: Decodable {
    var iss: String
}

private struct AudienceClaim: Decodable {
    var aud: AudienceList
}
