import ArgumentParser
import EventStore
import FocusCore
import Foundation
import KeyFiles
import Programs
import Tokens

/// Which file of keys a command works on.
struct KeyFileOptions: ParsableArguments {
    @Option(help: "Data directory of focusd, whose token.key is meant. Default: focusd's own default.")
    var dataDir: String?
    @Option(help: "The file itself, as in focusd --token-key.")
    var file: String?

    func validate() throws {
        if file != nil, dataDir != nil { throw ValidationError("Either --file or --data-dir.") }
    }

    var path: String { file ?? (dataDir ?? EmbeddedCluster.defaultDataDirectory) + "/token.key" }

    /// The file's text and its keys; nil when there is no file.
    func read() throws -> (text: String, keys: TokenKeySet)? {
        guard let text = try SecretFile.read(path) else { return nil }
        guard let keys = TokenKeySet(text: text) else { throw KeyFileError.noTokenKeys(path) }
        return (text, keys)
    }

    func existing() throws -> (text: String, keys: TokenKeySet) {
        guard let found = try read() else {
            throw CommandFailure("There is no \(path). Start focusd once, or say where the keys are.")
        }
        return found
    }

    /// Writes the keys in the place of what the file says. What receipts were made from is kept before.
    func replace(_ text: String, with keys: [TokenKey]) throws {
        guard let set = TokenKeySet(keys) else {
            throw CommandFailure("A file holds 1 to \(TokenKeySet.limit) keys, each with a name of its own.")
        }
        let directory = KeyDirectory((path as NSString).deletingLastPathComponent)
        if let made = try directory.keepReceiptSecret(of: text) {
            Terminal.complain(
                "\(made) now holds the secret that receipts were made from. A focusd with --database and --token-key "
                    + "needs it as --receipt-key when it starts again.")
        }
        try SecretFile.replace(path, try set.text())
    }
}

extension TokenKeySet {
    /// The place of the key of that name; `unnamed` is the first one without a name. Throws `CommandFailure` when there
    /// is none.
    func index(of name: String, in file: String) throws -> Int {
        guard let index = keys.firstIndex(where: { $0.id == name || $0.id == nil && name == "unnamed" }) else {
            throw CommandFailure("\(file) has no key \(name). `focusctl keys list` names them.")
        }
        return index
    }
}
