import FocusCore
import Foundation
import JWTKit
import Testing

@testable import SyncServer

/// Rule A1, claim by claim. Every token here is signed with the server's own key, so only its claims are wrong.
@Suite("TokenVerifier") struct TokenVerifierTests {
    private let user = UserID.random()
    private let device = DeviceID.random()
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let seconds: Int64 = 1_800_000_000
    private static let header = #"{"alg":"HS256","typ":"JWT"}"#

    @Test("A1: an expiry that no clock reaches is refused, and ends nothing")
    func expiryOutOfRange() async throws {
        for exp in [
            "9220000000000", "9223372036854.775807", "9223372036855", "9300000000000", "1e18", "1e300", "-1", "0",
            "-9300000000000", "-1e300", "1e400", "-0.0", "null", "\"1800000100\"", "[]", "true",
        ] {
            #expect(try await identity(claims: #""exp":\#(exp)"#) == nil, "exp \(exp)")
        }
        #expect(try await identity(claims: #""device_name":"x""#) == nil, "no exp")
    }

    @Test("A1: a token lives 400 days at most, and no moment past its end; fractions count")
    func lifetime() async throws {
        let limit = Self.seconds + 400 * 86_400
        #expect(try await expiry("\(limit)") == Timestamp(microseconds: limit * 1_000_000))
        #expect(try await expiry("\(limit).000001") == nil)
        #expect(try await expiry("\(Self.seconds + 1)") == now.adding(microseconds: 1_000_000))
        #expect(try await expiry("\(Self.seconds).5") == now.adding(microseconds: 500_000))
        #expect(try await expiry("\(Self.seconds)") == nil)
        #expect(try await expiry("\(Self.seconds - 1).999") == nil)
    }

    @Test("A1: a token that is not valid yet is refused; a minute is for clocks that differ")
    func notBefore() async throws {
        let exp = #""exp":\#(Self.seconds + 3_600)"#
        for (nbf, isGood) in [
            ("0", true), ("\(Self.seconds)", true), ("\(Self.seconds + 60)", true), ("\(Self.seconds + 60).001", false),
            ("\(Self.seconds + 61)", false), ("1e300", false), ("-1e300", false), ("\"0\"", false), ("null", true),
        ] {
            let found = try await identity(claims: exp + #","nbf":\#(nbf)"#)
            #expect((found != nil) == isGood, "nbf \(nbf)")
        }
    }

    @Test("A1: the header names the key's algorithm and no extension, or the token is refused")
    func header() async throws {
        let claims = #""exp":\#(Self.seconds + 3_600)"#
        for (header, isGood) in [
            (Self.header, true), (#"{"alg":"HS256"}"#, true), (#"{"alg":"HS256","kid":"x","typ":"at+jwt"}"#, true),
            (#"{"alg":"none"}"#, false), (#"{"alg":"HS384"}"#, false), (#"{"alg":"EdDSA"}"#, false),
            (#"{"alg":"hs256"}"#, false), (#"{"typ":"JWT"}"#, false), (#"{"alg":null}"#, false), ("{}", false),
            (#"{"alg":"HS256","crit":["b64"],"b64":true}"#, false), (#"{"alg":"HS256","crit":[]}"#, false),
        ] {
            #expect((try await identity(claims: claims, header: header) != nil) == isGood, "\(header)")
        }
    }

    @Test("A1: a token for an Ed25519 key says EdDSA")
    func edDSA() async throws {
        let key = try EdDSA.PrivateKey()
        let verifier = try await TokenVerifier(.ed25519PublicPEM(key.publicKey.pemRepresentation))
        let keys = JWTKeyCollection()
        await keys.add(eddsa: key)
        for (header, isGood) in [
            (#"{"alg":"EdDSA"}"#, true), (#"{"alg":"HS256"}"#, false), (#"{"alg":"none"}"#, false),
        ] {
            let token = try await sign(claims: #""exp":\#(Self.seconds + 3_600)"#, header: header, with: keys)
            #expect((await verifier.identity(of: token, now: now) != nil) == isGood, "\(header)")
        }
    }

    @Test("A1: a secret of 32 bytes checks tokens, a shorter one is refused")
    func shortSecret() async throws {
        _ = try await TokenVerifier(.secret(Array(repeating: 7, count: 32)))
        await #expect(throws: TokenSecretTooShort(bytes: 31)) {
            _ = try await TokenVerifier(.secret(Array(repeating: 7, count: 31)))
        }
    }

    // MARK: Tokens

    private func expiry(_ exp: String) async throws -> Timestamp? {
        try await identity(claims: #""exp":\#(exp)"#)?.expiresAt
    }

    private func identity(claims: String, header: String = header) async throws -> Identity? {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: Data(TestServer.secret)), digestAlgorithm: .sha256)
        let token = try await sign(claims: claims, header: header, with: keys)
        return try await TokenVerifier(.secret(TestServer.secret)).identity(of: token, now: now)
    }

    private func sign(claims: String, header: String, with keys: JWTKeyCollection) async throws -> String {
        let payload = #"{"sub":"\#(user)","device":"\#(device)","scope":"system",\#(claims)}"#
        let text = Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(payload.utf8))
        return text + "." + Self.base64URL(try await keys.getKey().sign(Array(text.utf8)))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").filter { $0 != "=" }
    }
}
