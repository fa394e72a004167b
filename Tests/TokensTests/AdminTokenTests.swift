import Crypto
import FocusCore
import Foundation
import Testing

@testable import Tokens

/// Operators' tokens.
@Suite("Admin tokens") struct AdminTokenTests {
    private let key = SigningKey.secret(Array("0123456789abcdef0123456789abcdef".utf8))
    private let now = Timestamp(microseconds: 1_795_000_000_000_000)

    private var verifier: TokenVerifier { TokenVerifier(key.verificationKey) }

    private func later(days: Double) -> Timestamp { now.adding(microseconds: Int64(days * 86_400_000_000)) }

    private func signed(_ claims: [String: Any], with other: SigningKey? = nil) throws -> String {
        let header = try JSONSerialization.data(withJSONObject: ["alg": "HS256", "typ": "JWT"])
        let body = try JSONSerialization.data(withJSONObject: claims)
        return try SignedToken.text(header: header, claims: body, sign: (other ?? key).signature)
    }

    @Test("A1: an operator's token gives its name, for 30 days at most")
    func name() throws {
        for (days, isGood) in [(1.0 / 86_400, true), (30, true), (30.01, false), (365, false), (0, false), (-1, false)]
        {
            let token = try key.token(AdminClaims(name: "olga@example.com", expiresAt: later(days: days)))
            #expect(verifier.operatorName(of: token, now: now) == (isGood ? "olga@example.com" : nil), "\(days) days")
        }
        let token = try key.token(AdminClaims(name: "olga", expiresAt: later(days: 1)))
        #expect(verifier.operatorName(of: token, now: later(days: 1)) == nil, "it has ended")
        #expect(verifier.operatorName(of: token + "A", now: now) == nil)
        let other = TokenVerifier(.secret(Array("another secret of 32 bytes or so".utf8)))
        #expect(other.operatorName(of: token, now: now) == nil)
    }

    @Test("A1: neither kind of token is taken for the other")
    func kinds() throws {
        let identity = Identity(
            user: UserID(UUID()), device: DeviceID(UUID()), scope: .system, expiresAt: later(days: 1))
        let device = try key.token(TokenClaims(identity))
        #expect(verifier.identity(of: device, now: now) == identity)
        #expect(verifier.operatorName(of: device, now: now) == nil)
        let admin = try key.token(AdminClaims(name: identity.user.description, expiresAt: later(days: 1)))
        #expect(verifier.operatorName(of: admin, now: now) != nil)
        #expect(verifier.identity(of: admin, now: now) == nil)
        // A token that says both is neither.
        let exp = Double(later(days: 1).microseconds) / 1_000_000
        for audience in ["focus-admin", ["focus", "focus-admin"]] as [Any] {
            let both = try signed([
                "sub": identity.user.description, "exp": exp, "device": identity.device.description, "scope": "system",
                "aud": audience,
            ])
            #expect(verifier.identity(of: both, now: now) == nil)
            #expect(verifier.operatorName(of: both, now: now) == nil)
        }
    }

    @Test("A1: what an operator's token must have")
    func claims() throws {
        let exp = Double(later(days: 1).microseconds) / 1_000_000
        let good: [String: Any] = ["sub": "olga", "exp": exp, "aud": ["x", "focus-admin"], "iss": "us"]
        #expect(verifier.operatorName(of: try signed(good), now: now) == "olga")
        let changes: [[String: Any?]] = [
            ["aud": nil], ["aud": "focus"], ["aud": 5], ["exp": nil], ["exp": "tomorrow"], ["sub": nil], ["sub": ""],
            ["sub": String(repeating: "n", count: 65)], ["sub": "a\nb"], ["nbf": exp], ["exp": 1e300],
        ]
        for change in changes {
            let claims = good.merging(change.mapValues { $0 as Any }) { $1 }.filter { pair in
                change[pair.key].map { $0 != nil } ?? true
            }
            #expect(verifier.operatorName(of: try signed(claims), now: now) == nil, "\(change)")
        }
        let demanding = TokenVerifier(
            TokenKeySet(lone: TokenKey(id: nil, checking: key.verificationKey)),
            TokenDemands(issuer: "us", audience: "focus"))
        #expect(demanding.operatorName(of: try signed(good), now: now) == "olga", "the audience is of devices' tokens")
        #expect(demanding.operatorName(of: try signed(good.merging(["iss": "them"]) { $1 }), now: now) == nil)
    }
}
