import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import KeyFiles
import Programs
import Tokens

/// `focusctl keys add`.
struct KeysAddCommand: ParsableCommand {
    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case hs256, eddsa
    }

    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a key beside those that are there. Nothing is signed with it yet.",
        discussion: """
            Without --from a new key is made. The file is made when there is none.

            Examples:
              focusctl keys add
              focusctl keys add --kid 2026-11 --algorithm eddsa
              focusctl keys add --kid issuer --from issuer-public.pem

            With --json: {"kid":"k-1a2b3c4d","algorithm":"HS256","status":"added"}

            \(ExitStatus.help)
            """)

    @Option(
        help: "The key's name in tokens: 1 to 64 letters, digits, dots, hyphens, underscores. Default: a random one.")
    var kid: String?
    @Option(help: "hs256 (a secret that signs and checks) or eddsa (Ed25519; servers need its public half alone).")
    var algorithm = Algorithm.hs256
    @Option(help: "File with the key to add: a secret in hex, or an Ed25519 key, private or public (PEM).")
    var from: String?
    @Flag(help: "JSON.")
    var json = false
    @OptionGroup var options: KeyFileOptions

    func validate() throws {
        guard let kid else { return }
        let isAllowed = kid.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._-".utf8.contains(byte)
        }
        guard isAllowed, (1...64).contains(kid.utf8.count), kid != "unnamed" else {
            throw ValidationError("--kid is 1 to 64 letters, digits, dots, hyphens and underscores, and not “unnamed”.")
        }
    }

    func run() throws {
        let found = try options.read()
        let name = kid ?? KeyDirectory.newName()
        if let found, found.keys.keys.contains(where: { $0.id == name }) {
            throw CommandFailure("\(options.path) has a key \(name) already.")
        }
        var key = try makeKey(name)
        key.addedAt = .now
        if let found {
            try options.replace(found.text, with: found.keys.keys.filter { $0.isInForce(at: .now) } + [key])
        } else {
            try SecretFile.create(options.path, try TokenKeySet(lone: key).text())
        }
        guard !json else {
            var text = JSONText()
            text.add("kid", name)
            text.add("algorithm", key.algorithm)
            text.add("status", "added")
            return Terminal.line(text.text)
        }
        Terminal.line("Added \(name) (\(key.algorithm)). Servers that read \(options.path) take it within 5 s.")
        if found != nil, key.signing != nil { Terminal.line("When every server has it: focusctl keys use \(name)") }
    }

    private func makeKey(_ name: String) throws -> TokenKey {
        if let from {
            guard let text = try SecretFile.read(from), let read = TokenKeySet(text: text), read.keys.count == 1,
                var key = read.keys.first
            else {
                throw CommandFailure("\(from) does not hold one key: at least 64 hex digits, or an Ed25519 key (PEM).")
            }
            (key.id, key.signs, key.retiresAt) = (name, false, nil)
            return key
        }
        switch algorithm {
        case .hs256: return TokenKey(id: name, .secret(KeyDirectory.randomSecret()))
        case .eddsa: return TokenKey(id: name, KeyDirectory.randomEd25519())
        }
    }
}
