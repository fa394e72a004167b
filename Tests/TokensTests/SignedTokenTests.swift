import Crypto
import Foundation
import Testing

@testable import Tokens

/// Tokens and keys that others made: the appendices of the RFCs, and files of `openssl`.
@Suite("SignedToken") struct SignedTokenTests {
    @Test("HS256: the example of RFC 7515, appendix A.1")
    func hmac() throws {
        let token = try #require(
            SignedToken(
                "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
                    + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
                    + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        let secret = try #require(
            Data(
                base64Encoded: "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75"
                    + "aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow=="))
        #expect(String(decoding: token.header, as: UTF8.self) == "{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}")
        #expect(VerificationKey.secret(Array(secret)).signed(token.signed, as: token.signature))
        #expect(!VerificationKey.secret(Array(secret) + [1]).signed(token.signed, as: token.signature))
    }

    @Test("EdDSA: the example of RFC 8037, appendix A.4, which RFC 8032 makes the same each time")
    func ed25519() throws {
        let seed = try #require(Data(base64Encoded: "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="))
        let key = SigningKey.ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
        let text = try #require(
            SignedToken(
                "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
                    + ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"))
        #expect(String(decoding: text.claims, as: UTF8.self) == "Example of Ed25519 signing")
        #expect(key.verificationKey.signed(text.signed, as: text.signature))
        #expect(!key.verificationKey.signed(text.signed.dropLast(), as: text.signature))
    }

    @Test(
        "Only three parts in base64url without padding are a token",
        arguments: [
            "", ".", "..", "...", "e30.e30", "e30.e30.e30.", ".e30.e30.e30", "e30.e30.e30.e30", "e30=.e30.e30",
            "e3+.e30.e30", "e3/.e30.e30", "e 0.e30.e30", "e.e30.e30", "e30.e30.é", "e30\n.e30.e30",
        ])
    func malformed(text: String) {
        // Empty parts are base64url of nothing, which no key has signed.
        #expect(SignedToken(text) == nil || text == "..")
    }

    @Test("Keys of openssl are read, and only those that can do what is asked of them")
    func keyFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (secret, published) = (folder.path + "/private.pem", folder.path + "/public.pem")
        try openSSL("genpkey", "-algorithm", "ed25519", "-out", secret)
        try openSSL("pkey", "-in", secret, "-pubout", "-out", published)
        let key = try #require(SigningKey(text: String(contentsOfFile: secret, encoding: .utf8)))
        let check = try #require(VerificationKey(text: String(contentsOfFile: published, encoding: .utf8)))
        let bytes = Data("any bytes".utf8)
        #expect(try check.signed(bytes, as: key.signature(of: bytes)))
        #expect(try VerificationKey(text: String(contentsOfFile: secret, encoding: .utf8)) == nil)
        #expect(try SigningKey(text: String(contentsOfFile: published, encoding: .utf8)) == nil)
        try openSSL("genpkey", "-algorithm", "x25519", "-out", secret)
        #expect(try SigningKey(text: String(contentsOfFile: secret, encoding: .utf8)) == nil)
    }

    @Test("A secret is at least 64 hex digits, and nothing else")
    func secrets() {
        let digits = String(repeating: "0aF", count: 22)
        #expect(
            HexSecret.bytes(" \n" + digits + "\n")
                == [UInt8](repeating: 0, count: 33).indices.map {
                    [0x0A, 0xF0, 0xAF][$0 % 3]
                })
        for text in [
            "", "0a", String(digits.dropLast(4)), String(digits.dropLast()), "+f" + digits, digits + "-1",
            digits + "٣٣", digits.prefix(32) + " " + digits, "0x" + digits,
        ] {
            #expect(HexSecret.bytes(text) == nil, "\(text)")
        }
        #expect(HexSecret.bytes(String(digits.dropLast(2)))?.count == 32)
    }

    private func openSSL(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
