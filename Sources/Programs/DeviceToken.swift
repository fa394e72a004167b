import FocusCore
import Foundation
import JWTKit

/// The claims that focusd reads (rule A1).
package struct DeviceToken: JWTPayload {
    private let sub: SubjectClaim
    private let exp: ExpirationClaim
    private let device: String
    /// `system`, or `app:<bundle id>`.
    private let scope: String
    private let deviceClass: String?

    private enum CodingKeys: String, CodingKey {
        case sub, exp, device, scope
        case deviceClass = "class"
    }

    /// - Parameters:
    ///   - app: nil: for the device's own agent, which has the scope `system`.
    ///   - deviceClass: nil: the device says itself what it is.
    ///   - seconds: how long from now on the token is valid.
    package init(user: UserID, device: DeviceID, app: AppID?, deviceClass: DeviceClass? = nil, seconds: Double) {
        sub = SubjectClaim(value: user.description)
        exp = ExpirationClaim(value: Date(timeIntervalSinceNow: seconds))
        self.device = device.description
        scope = app.map { "app:\($0)" } ?? "system"
        self.deviceClass = deviceClass?.rawValue
    }

    /// Only the server verifies tokens.
    package func verify(using algorithm: some JWTAlgorithm) throws {}

    /// The token, signed.
    /// - Parameters:
    ///   - key: the text of a file: a private Ed25519 key (PEM), or at least 64 hex digits.
    ///   - file: the file's name, for errors.
    package func signed(with key: String, named file: String) async throws -> String {
        let keys = JWTKeyCollection()
        if key.contains("-----BEGIN") {
            do {
                await keys.add(eddsa: try EdDSA.PrivateKey(pem: key))
            } catch {
                throw CommandFailure("\(file) is no Ed25519 private key in PEM (openssl genpkey -algorithm ed25519).")
            }
        } else {
            await keys.add(hmac: HMACKey(from: Data(try Self.secret(key, file))), digestAlgorithm: .sha256)
        }
        return try await keys.sign(self)
    }

    private static func secret(_ text: String, _ file: String) throws -> [UInt8] {
        let digits = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset -> UInt8? in
            UInt8(String(decoding: digits[offset..<min(offset + 2, digits.count)], as: UTF8.self), radix: 16)
        }
        guard bytes.count >= 32, bytes.count * 2 == digits.count else {
            throw CommandFailure("\(file) is no token key: at least 64 hex digits, or an Ed25519 private key in PEM.")
        }
        return bytes
    }
}
