import Crypto
import FocusCore
import Foundation
import Testing

@testable import Tokens

/// Several keys at once (rule A1): which of them a token is checked with, and until when.
@Suite("TokenKeySet") struct TokenKeySetTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let unnamed = SigningKey.secret(Array("0123456789abcdef0123456789abcdef".utf8))
    private let first = SigningKey.secret(Array("first 89abcdef0123456789abcdef!!".utf8))
    private let second = SigningKey.ed25519(Curve25519.Signing.PrivateKey())

    private func claims(seconds: Int64 = 3_600) -> TokenClaims {
        TokenClaims(
            Identity(
                user: UserID(UUID()), device: DeviceID(UUID()), scope: .system,
                expiresAt: now.adding(microseconds: seconds * 1_000_000)))
    }

    private func set(_ keys: TokenKey...) throws -> TokenKeySet { try #require(TokenKeySet(keys)) }

    private func isGood(
        _ keys: TokenKeySet, _ key: SigningKey, id: String?, _ demands: TokenDemands = TokenDemands(),
        at time: Timestamp? = nil, _ change: (inout TokenClaims) -> Void = { _ in }
    ) throws -> Bool {
        var claims = claims()
        change(&claims)
        return TokenVerifier(keys, demands).identity(of: try key.token(claims, id: id), now: time ?? now) != nil
    }

    @Test("A1: kid selects the key; a token without one, or with one that no key has, is for the keys without a name")
    func selects() throws {
        let keys = try set(
            TokenKey(id: nil, unnamed), TokenKey(id: "1", first), TokenKey(id: "2", checking: second.verificationKey))
        for (key, id, expected) in [
            (unnamed, String?.none, true), (unnamed, "other", true), (unnamed, "1", false), (unnamed, "2", false),
            (first, "1", true), (first, nil, false), (first, "2", false), (first, "other", false),
            (second, "2", true), (second, "1", false), (second, nil, false),
        ] as [(SigningKey, String?, Bool)] { #expect(try isGood(keys, key, id: id) == expected, "\(id ?? "none")") }
        let named = try set(TokenKey(id: "1", first))
        #expect(try isGood(named, first, id: "1"))
        #expect(try !isGood(named, first, id: nil))
    }

    @Test("A1: the header's algorithm is the selected key's, whatever other keys there are")
    func algorithm() throws {
        let keys = try set(TokenKey(id: "1", first), TokenKey(id: "2", second))
        for (alg, kid, isGood) in [
            ("HS256", "1", true), ("EdDSA", "1", false), ("none", "1", false), ("HS256", "2", false),
        ] {
            let text = try SignedToken.text(
                header: Data(#"{"alg":"\#(alg)","kid":"\#(kid)"}"#.utf8), claims: JSONEncoder().encode(claims()),
                sign: first.signature)
            #expect((TokenVerifier(keys).identity(of: text, now: now) != nil) == isGood, "\(alg) \(kid)")
        }
        // The public key of EdDSA is no secret of HS256.
        guard case .ed25519(let published) = second.verificationKey else { return }
        let forged = SigningKey.secret(Array(published.rawRepresentation))
        #expect(try !isGood(keys, forged, id: "2"))
    }

    @Test("A1: a retired key's tokens, and sessions, end when its time has come, and no other's")
    func retires() throws {
        var old = TokenKey(id: "1", first)
        old.retiresAt = now.adding(microseconds: 60_000_000)
        let keys = try set(old, TokenKey(id: "2", second))
        let verifier = TokenVerifier(keys)
        let found = try #require(verifier.check(try first.token(claims(), id: "1"), now: now))
        #expect(found.identity.expiresAt == old.retiresAt)
        let later = now.adding(microseconds: 60_000_000)
        #expect(verifier.accepts(found.key, now: now) && !verifier.accepts(found.key, now: later))
        #expect(try !isGood(keys, first, id: "1", at: later))
        #expect(try isGood(keys, second, id: "2", at: later))
        let without = TokenVerifier(try set(TokenKey(id: "2", second)))
        #expect(!without.accepts(found.key, now: now))
        // A key with another's name is another key.
        #expect(!TokenVerifier(try set(TokenKey(id: "1", unnamed))).accepts(found.key, now: now))
    }

    @Test("A1: issuer and audience are checked where the server demands them, and else have any form")
    func demands() throws {
        let keys = try set(TokenKey(id: nil, unnamed))
        let both = TokenDemands(issuer: "https://id.example.com", audience: "focus")
        #expect(try !isGood(keys, unnamed, id: nil, both))
        #expect(
            try isGood(keys, unnamed, id: nil, both) {
                ($0.issuer, $0.audience) = ("https://id.example.com", "focus")
            })
        for (issuer, audience) in [("https://id.example.com", "other"), ("https://id.example.org", "focus")] {
            #expect(try !isGood(keys, unnamed, id: nil, both) { ($0.issuer, $0.audience) = (issuer, audience) })
        }
        for (aud, demanded, isGood) in [
            (#"["a","focus"]"#, "focus", true), (#"["a"]"#, "focus", false), ("[]", "focus", false),
            (#""focus""#, "focus", true), ("7", nil, true), (#"{"x":1}"#, nil, true), ("7", "focus", false),
            ("[7]", "focus", false),
        ] as [(String, String?, Bool)] {
            var object = String(decoding: try JSONEncoder().encode(claims()), as: UTF8.self)
            object.removeLast()
            object += #","aud":\#(aud)}"#
            let text = try SignedToken.text(
                header: Data(#"{"alg":"HS256"}"#.utf8), claims: Data(object.utf8), sign: unnamed.signature)
            let verifier = TokenVerifier(keys, TokenDemands(audience: demanded))
            #expect((verifier.identity(of: text, now: now) != nil) == isGood, "\(aud)")
        }
    }

    @Test("A set is written and read again with all that it says; a file with one key alone is a set of that")
    func roundTrip() throws {
        var old = TokenKey(id: "1", first)
        (old.retiresAt, old.addedAt) = (now, now.adding(microseconds: -5_000_000))
        var signing = TokenKey(id: "2", second)
        signing.signs = true
        let keys = try set(
            old, signing, TokenKey(id: nil, unnamed), TokenKey(id: "3", checking: second.verificationKey))
        let read = try #require(TokenKeySet(text: keys.text()))
        #expect(read.keys.map(\.id) == ["1", "2", nil, "3"])
        #expect(read.keys.map(\.algorithm) == ["HS256", "EdDSA", "HS256", "EdDSA"])
        #expect(read.keys.map(\.retiresAt) == [now, nil, nil, nil] && read.keys[0].addedAt == old.addedAt)
        #expect(read.keys.map { $0.signing != nil } == [true, true, true, false])
        #expect(read.signingIndex == 1)
        #expect(try TokenSigner(text: keys.text())?.id == "2")
        for (key, id) in [(first, "1"), (second, "2"), (unnamed, nil), (second, "3")] as [(SigningKey, String?)] {
            let early = now.adding(microseconds: -1)
            #expect(try isGood(read, key, id: id, at: early))
        }
        let hex = String(repeating: "5a", count: 32)
        #expect(TokenKeySet(text: hex)?.keys.map(\.id) == [nil] && TokenSigner(text: hex)?.id == nil)
        #expect(TokenKeySet.loneSecret(hex) != nil)
        #expect(try TokenKeySet.loneSecret(keys.text()) == nil)
    }

    @Test("A key without a mark signs if it has no name, else the first: adding one changes nothing")
    func signs() throws {
        let (named, later) = (TokenKey(id: "1", first), TokenKey(id: "2", second))
        #expect(try set(named, later).signingIndex == 0)
        #expect(try set(named, later, TokenKey(id: nil, unnamed)).signingIndex == 2)
        let checking = TokenKey(id: "0", checking: second.verificationKey)
        #expect(try set(checking, named).signingIndex == 1)
        #expect(try set(checking).signingIndex == nil)
    }

    @Test("An issuer's published set is read: what is not for tokens is left out, what is broken refuses the file")
    func published() throws {
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        let good = #"{"kty":"OKP","crv":"Ed25519","kid":"a","x":"\#(x)"}"#
        let rsa = #"{"kty":"RSA","kid":"b","n":"AQAB","e":"AQAB"}"#
        let others = [
            rsa, #"{"kty":"OKP","crv":"X25519","kid":"c","x":"\#(x)"}"#,
            #"{"kty":"OKP","crv":"Ed25519","kid":"d","use":"enc","x":"\#(x)"}"#,
            #"{"kty":"oct","alg":"HS512","kid":"e","k":"AAAA"}"#,
        ]
        let read = TokenKeySet(text: #"{"keys":[\#((others + [good]).joined(separator: ","))],"more":1}"#)
        #expect(read?.keys.map(\.id) == ["a"])
        // RFC 8037, appendix A: the key of its example, with its private half.
        let d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
        #expect(TokenKeySet(text: #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(x)","d":"\#(d)"}]}"#) != nil)
        for bad in [
            "", "{}", #"{"keys":[]}"#, #"{"keys":[\#(rsa)]}"#, #"{"keys":[\#(good),\#(good)]}"#,
            #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, #"{"keys":[{"kty":"oct"}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(x)","d":"\#(x)"}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(x)","kid":""}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(x)","exp":1e300}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(x)","signs":true}]}"#, good, "[\(good)]",
        ] { #expect(TokenKeySet(text: bad) == nil, "\(bad)") }
        #expect(TokenKeySet((0...TokenKeySet.limit).map { TokenKey(id: "\($0)", first) }) == nil)
    }
}
