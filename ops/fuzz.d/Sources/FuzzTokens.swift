import Crypto
import FocusCore
import Foundation

@testable import Tokens

/// Fuzzes tokens. Each record holds a byte and bytes. 0: a complete token. 1: the header for the records that follow.
/// Other values: claims, signed with the server's own key, because an issuer with the key may claim anything. An
/// accepted token must satisfy rule A1.
func fuzzTokens(_ input: FuzzInput) {
    var input = input
    var header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
    while var record = input.next() {
        let kind = record.byte()
        switch kind % 4 {
        case 0:
            check(TokenSamples.identity(String(decoding: record.bytes, as: UTF8.self)) == nil, "a token without a key")
        case 1: header = record.bytes
        default: checkSigned(header, record.bytes, flipping: kind)
        }
    }
}

private func checkSigned(_ header: [UInt8], _ claims: [UInt8], flipping bit: UInt8) {
    let text = TokenSamples.base64URL(header) + "." + TokenSamples.base64URL(claims)
    var code = Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: TokenSamples.key))
    let token = text + "." + TokenSamples.base64URL(code)
    guard let identity = TokenSamples.identity(token) else { return }
    check(TokenSamples.identity(token) == identity, "a token says another thing the second time")
    check(identity.device != .server, "a token of the server's")
    let left = identity.expiresAt.microseconds - TokenSamples.now.microseconds
    check(left > 0 && left <= TokenVerifier.longestLife, "a token that ends in \(left) µs")
    code[Int(bit) % code.count] ^= 1 << (bit >> 5)
    check(TokenSamples.identity(text + "." + TokenSamples.base64URL(code)) == nil, "a code that is another")
}

private enum TokenSamples {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    static let key = SymmetricKey(data: secret)
    /// 2027-01-15; the corpus's claims are made for this moment.
    static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let verifier = TokenVerifier(.secret(secret))

    static func identity(_ token: String) -> Identity? { verifier.identity(of: token, now: now) }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").filter { $0 != "=" }
    }
}
