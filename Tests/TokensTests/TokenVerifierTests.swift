import Crypto
import FocusCore
import Foundation
import Testing

@testable import Tokens

/// Rule A1, claim by claim. Every token here is signed with the server's own key, so only its claims are wrong.
@Suite("TokenVerifier") struct TokenVerifierTests {
    private let user = UserID(UUID())
    private let device = DeviceID(UUID())
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let seconds: Int64 = 1_800_000_000
    private static let header = #"{"alg":"HS256","typ":"JWT"}"#

    @Test("A1: an expiry that no clock reaches is refused, and ends nothing")
    func expiryOutOfRange() throws {
        for exp in [
            "9220000000000", "9223372036854.775807", "9223372036855", "9300000000000", "1e18", "1e300", "-1", "0",
            "-9300000000000", "-1e300", "1e400", "-0.0", "null", "\"1800000100\"", "[]", "true",
        ] {
            #expect(try identity(claims: #""exp":\#(exp)"#) == nil, "exp \(exp)")
        }
        #expect(try identity(claims: #""device_name":"x""#) == nil, "no exp")
    }

    @Test("A1: a token lives 400 days at most, and no moment past its end; fractions count")
    func lifetime() throws {
        let limit = Self.seconds + 400 * 86_400
        #expect(try expiry("\(limit)") == Timestamp(microseconds: limit * 1_000_000))
        #expect(try expiry("\(limit).000001") == nil)
        #expect(try expiry("\(Self.seconds + 1)") == now.adding(microseconds: 1_000_000))
        #expect(try expiry("\(Self.seconds).5") == now.adding(microseconds: 500_000))
        #expect(try expiry("\(Self.seconds)") == nil)
        #expect(try expiry("\(Self.seconds - 1).999") == nil)
    }

    @Test("A1: a token that is not valid yet is refused; a minute is for clocks that differ")
    func notBefore() throws {
        let exp = #""exp":\#(Self.seconds + 3_600)"#
        for (nbf, isGood) in [
            ("0", true), ("\(Self.seconds)", true), ("\(Self.seconds + 60)", true), ("\(Self.seconds + 60).001", false),
            ("\(Self.seconds + 61)", false), ("1e300", false), ("-1e300", false), ("\"0\"", false), ("null", true),
        ] {
            let found = try identity(claims: exp + #","nbf":\#(nbf)"#)
            #expect((found != nil) == isGood, "nbf \(nbf)")
        }
    }

    @Test("A1: the header names the key's algorithm and no extension, or the token is refused")
    func header() throws {
        let claims = #""exp":\#(Self.seconds + 3_600)"#
        for (header, isGood) in [
            (Self.header, true), (#"{"alg":"HS256"}"#, true), (#"{"alg":"HS256","kid":"x","typ":"at+jwt"}"#, true),
            (#"{"alg":"none"}"#, false), (#"{"alg":"HS384"}"#, false), (#"{"alg":"EdDSA"}"#, false),
            (#"{"alg":"hs256"}"#, false), (#"{"typ":"JWT"}"#, false), (#"{"alg":null}"#, false), ("{}", false),
            (#"{"alg":"HS256","crit":["b64"],"b64":true}"#, false), (#"{"alg":"HS256","crit":[]}"#, false),
        ] {
            #expect((try identity(claims: claims, header: header) != nil) == isGood, "\(header)")
        }
    }

    @Test("A1: a token for an Ed25519 key says EdDSA")
    func edDSA() throws {
        let key = SigningKey.ed25519(Curve25519.Signing.PrivateKey())
        for (header, isGood) in [
            (#"{"alg":"EdDSA"}"#, true), (#"{"alg":"HS256"}"#, false), (#"{"alg":"none"}"#, false),
        ] {
            let token = try sign(claims: #""exp":\#(Self.seconds + 3_600)"#, header: header, with: key)
            let identity = TokenVerifier(key.verificationKey).identity(of: token, now: now)
            #expect((identity != nil) == isGood, "\(header)")
        }
    }

    @Test("A1: of a good token no byte can be another, none be added and none left out")
    func everyByte() throws {
        for key in [key, .ed25519(Curve25519.Signing.PrivateKey())] {
            let verifier = TokenVerifier(key.verificationKey)
            let identity = Identity(
                user: user, device: device, scope: .system, expiresAt: now.adding(microseconds: 3_600_000_000))
            let good = Array(try key.token(TokenClaims(identity)).utf8)
            let isGood = { (bytes: [UInt8]) in
                verifier.identity(of: String(decoding: bytes, as: UTF8.self), now: now) != nil
            }
            #expect(isGood(good))
            // The last digit holds bits that no byte of the signature has (RFC 4648 §3.5), and those do not count.
            for index in good.indices.dropLast() {
                var other = good
                other[index] = good[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(!isGood(other), "byte \(index)")
            }
            for end in good.indices { #expect(!isGood(Array(good[..<end])), "the first \(end) bytes") }
            for extra in [".", "=", "A", " ", "\n", ".A", "\u{0}"] {
                #expect(!isGood(good + Array(extra.utf8)), "\(extra.debugDescription) behind")
                #expect(!isGood(Array(extra.utf8) + good), "\(extra.debugDescription) in front")
            }
        }
    }

    @Test("A1: a token says whose it is: user, device, scope and class")
    func claims() throws {
        let expiry = now.adding(microseconds: 3_600_000_000)
        for scope in [Scope.system, .app(try #require(AppID("com.example.chat")))] {
            for deviceClass in [nil, DeviceClass.watch] {
                let identity = Identity(
                    user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)
                let token = try key.token(TokenClaims(identity))
                #expect(TokenVerifier(key.verificationKey).identity(of: token, now: now) == identity)
            }
        }
        for claims in [
            #""sub":"x""#, #""sub":7"#, #""device":"\#(DeviceID.server)""#, #""device":"""#, #""scope":"app:""#,
            #""scope":"System""#, #""class":"toaster""#, #""class":1"#,
        ] {
            let found = try identity(claims: #""exp":\#(Self.seconds + 3_600),"# + claims)
            #expect(found == nil, "\(claims)")
        }
    }

    // MARK: Tokens

    private let key = SigningKey.secret(Array("0123456789abcdef0123456789abcdef".utf8))

    private func expiry(_ exp: String) throws -> Timestamp? {
        try identity(claims: #""exp":\#(exp)"#)?.expiresAt
    }

    private func identity(claims: String, header: String = header) throws -> Identity? {
        TokenVerifier(key.verificationKey).identity(of: try sign(claims: claims, header: header, with: key), now: now)
    }

    /// - Parameter claims: those that the test is about; where they name another's again, the other is left out.
    private func sign(claims: String, header: String = header, with key: SigningKey) throws -> String {
        let others = [("sub", "\(user)"), ("device", "\(device)"), ("scope", "system")]
            .filter { !claims.contains("\"\($0.0)\":") }.map { "\"\($0.0)\":\"\($0.1)\"," }
        let payload = "{\(others.joined())\(claims)}"
        return try SignedToken.text(
            header: Data(header.utf8), claims: Data(payload.utf8), sign: key.signature)
    }
}
