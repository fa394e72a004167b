import FocusCore
import Foundation
import Support
import Testing
import Tokens

/// What an operator may demand of tokens.
@Suite("Settings for tokens", .fewAtATime) struct TokenSettingsTests {
    @Test("A1: focusd asks for the issuer and the audience that it is told to ask for")
    func demanded() async throws {
        let server = try await FocusdProcess(
            options: ["--token-issuer", "https://accounts.example", "--token-audience", "focus-sync"])
        let user = UserID.random()
        func answer(issuer: String?, audience: String?) async throws -> ServerMessage {
            var claims = TokenClaims(
                Identity(
                    user: user, device: .random(), scope: .system,
                    expiresAt: Timestamp.now.adding(microseconds: 3_600_000_000)))
            (claims.issuer, claims.audience) = (issuer, audience)
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: SigningKey.secret(TestServer.secret).token(claims))
            let answer = try await client.next()
            await client.close()
            return answer
        }
        let right = try await answer(issuer: "https://accounts.example", audience: "focus-sync")
        guard case .welcome = right else {
            Issue.record("\(right)")
            return
        }
        for (issuer, audience) in [
            (nil, nil), ("https://accounts.example", nil), (nil, "focus-sync"),
            ("https://accounts.example", "focus-admin"), ("https://elsewhere.example", "focus-sync"),
        ] {
            let wrong = try await answer(issuer: issuer, audience: audience)
            guard case .error(let error) = wrong, error.code == .unauthenticated else {
                Issue.record("\(issuer ?? "no issuer"), \(audience ?? "no audience"): \(wrong)")
                continue
            }
        }
        #expect(await server.terminate())
        await server.remove()
    }
}
