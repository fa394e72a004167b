import Conformance
import Programs
import Tokens

extension SigningKey {
    /// A token as `focusctl token` makes it; a forged one is signed with a key that no server has.
    func token(_ request: TokenRequest) throws -> String {
        let forged = SigningKey.secret((0..<32).map { _ in UInt8.random(in: 0...255) })
        return try (request.isForged ? forged : self).token(
            user: request.user, device: request.device, scope: request.scope, seconds: request.seconds)
    }
}
