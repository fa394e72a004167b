import FocusCore
import Foundation

extension TokenVerifier {
    /// The name of the operator whose token it is; nil when it is no operator's, is bad, or is not valid at `now`.
    ///
    /// The keys are those of devices' tokens. Neither kind is taken for the other: a device's token is not for
    /// `AdminClaims.audience`, and one that is for it is no device's.
    public func operatorName(of text: String, now: Timestamp) -> String? {
        guard let token = SignedToken(text), key(of: token, now: now) != nil,
            let claims = try? JSONDecoder().decode(AdminClaims.self, from: token.claims), claims.areAdmin,
            demands.issuerIsMet(by: token.claims),
            let end = Timestamp(claimed: claims.exp), end > now,
            end <= now.adding(microseconds: AdminClaims.longestLife + Self.leeway)
        else { return nil }
        if let notBefore = claims.nbf {
            guard let begin = Timestamp(claimed: notBefore), begin <= now.adding(microseconds: Self.leeway)
            else { return nil }
        }
        return claims.sub
    }
}
