import FocusCore
import FocusSyncClient
import Foundation
import Tokens

extension SigningKey {
    /// The key that a file holds, as `focusd` or `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// Throws `CommandFailure` when the file cannot be read or holds something else.
    package init(file: String) throws {
        let text: String
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw CommandFailure(
                "\(file) cannot be read: \(error.localizedDescription) Start focusd once, or say where the key is.")
        }
        guard let key = SigningKey(text: text) else {
            throw CommandFailure("\(file) is no token key: at least 64 hex digits, or an Ed25519 private key in PEM.")
        }
        self = key
    }

    /// A token of the device.
    /// - Parameters:
    ///   - seconds: the token's lifetime from now on; negative: it has expired.
    ///   - deviceClass: nil: the device says itself what it is.
    package func token(
        user: UserID, device: DeviceID, scope: Scope, seconds: Double, deviceClass: DeviceClass? = nil
    ) throws -> String {
        let expiry = Timestamp.now.adding(microseconds: Int64(seconds * 1_000_000))
        return try token(
            TokenClaims(
                Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)))
    }
}
