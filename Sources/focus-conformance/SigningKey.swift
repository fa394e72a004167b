import Conformance
import FocusCore
import Foundation
import Programs

/// Signs tokens as `focusctl token` does.
struct SigningKey: Sendable {
    private let text: String
    private let file: String

    init(file: String) throws {
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw CommandFailure(
                "\(file) cannot be read: \(error.localizedDescription) Start focusd once, or give --key or --data-dir.")
        }
        self.file = file
    }

    func token(_ request: TokenRequest) async throws -> String {
        let token = DeviceToken(
            user: request.user, device: request.device, app: request.scope.app, seconds: request.seconds)
        // A forged token is signed with a key that no server has.
        let forged = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        return try await token.signed(with: request.isForged ? forged : text, named: file)
    }
}
