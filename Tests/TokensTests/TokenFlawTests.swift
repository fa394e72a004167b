import FocusCore
import Foundation
import Testing

@testable import Tokens

/// What the log is told of a bad token.
@Suite("TokenFlaw") struct TokenFlawTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let key = SigningKey.secret(Array("0123456789abcdef0123456789abcdef".utf8))

    private func token(seconds: Int64 = 3_600, _ key: SigningKey? = nil, nbf: Double? = nil) throws -> String {
        var claims = TokenClaims(
            Identity(
                user: UserID(UUID()), device: DeviceID(UUID()), scope: .system,
                expiresAt: now.adding(microseconds: seconds * 1_000_000)))
        claims.nbf = nbf
        return try (key ?? self.key).token(claims)
    }

    private func flaw(_ text: String, _ demands: TokenDemands = TokenDemands()) throws -> TokenFlaw? {
        do {
            _ = try TokenVerifier(TokenKeySet(lone: TokenKey(id: nil, key)), demands).judge(text, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("A1: each way in which a token is bad has a name of its own in the log")
    func names() throws {
        let other = SigningKey.secret(Array("another secret of 32 bytes or so".utf8))
        let operatorToken = try key.token(AdminClaims(name: "olga", expiresAt: now.adding(microseconds: 3_600_000_000)))
        let found: [(TokenFlaw?, TokenFlaw?)] = [
            (try flaw(token()), nil), (try flaw("a.b"), .malformed), (try flaw(token(other)), .unsigned),
            (try flaw(operatorToken), .foreign), (try flaw(token(seconds: -1)), .expired),
            (try flaw(token(seconds: 500 * 86_400)), .longLived), (try flaw(token(nbf: 1_800_000_100)), .early),
            (try flaw(token(), TokenDemands(issuer: "https://id.example.com")), .undemanded),
        ]
        for (flaw, expected) in found { #expect(flaw == expected) }
        #expect(Set(found.compactMap(\.0)) == Set(TokenFlaw.allCases))
    }
}
