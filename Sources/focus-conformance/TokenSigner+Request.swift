import Conformance
import Programs
import Tokens

extension TokenSigner {
    /// A token as `focusctl token` makes it; a forged one is signed with a key that no server has, and names the good one.
    func token(_ request: TokenRequest) throws -> String {
        let forged = TokenSigner(.secret((0..<32).map { _ in UInt8.random(in: 0...255) }), id: id)
        return try (request.isForged ? forged : self).token(
            user: request.user, device: request.device, scope: request.scope, seconds: request.seconds)
    }
}
