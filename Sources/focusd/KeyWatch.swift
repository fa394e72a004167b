import FocusCore
import Foundation
import KeyFiles
import Logging
import ServiceLifecycle
import SyncServer
import Tokens

/// Looks every 5 s whether the file of the keys of tokens says something else, and gives the server the new keys: keys
/// change without a restart. A file that cannot be used changes nothing, and is complained of once.
struct KeyWatch: Service {
    private static let interval = Duration.seconds(5)

    let file: String
    /// The text that the server's keys were read from.
    let text: String
    let keys: TokenKeySet
    let demands: TokenDemands
    let server: SyncServer
    let logger: Logger

    func run() async throws {
        var (text, keys, isBroken) = (text, keys, false)
        var inForce = Self.inForce(keys)
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
            do {
                guard let new = try SecretFile.read(file) else {
                    throw KeyFileError.unreadable(file, reason: "there is no such file")
                }
                if new != text {
                    guard let read = TokenKeySet(text: new) else { throw KeyFileError.noTokenKeys(file) }
                    (text, keys) = (new, read)
                    server.replaceTokens(TokenVerifier(keys, demands))
                    let names = keys.keys.map { $0.id ?? "unnamed" }.joined(separator: " ")
                    logger.notice("keys of tokens have changed", metadata: ["keys": "\(names)"])
                }
                isBroken = false
            } catch {
                if !isBroken {
                    logger.error("keys of tokens stay as they were", metadata: ["error": "\(error)"])
                }
                isBroken = true
            }
            // A session ends with the key that its token was signed with, also when that key's time has come.
            let count = Self.inForce(keys)
            if count < inForce { server.replaceTokens(TokenVerifier(keys, demands)) }
            inForce = count
        }
    }

    /// How many of the keys check tokens now.
    private static func inForce(_ keys: TokenKeySet) -> Int {
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        return keys.keys.count { $0.isInForce(at: now) }
    }
}
