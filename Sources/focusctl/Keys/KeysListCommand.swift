import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs
import Tokens

/// `focusctl keys list`.
struct KeysListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the keys of a file, and which one signs; never a secret.",
        discussion: """
            Examples:
              focusctl keys list
              focusctl keys list --file /etc/focusd/token.key --json
              focusctl keys list --public > keys.json   # for a server that signs nothing

            With --json, one object per line:
              {"kid":"k-1a2b3c4d","algorithm":"HS256","signs":true,"canSign":true,
               "added":"2026-11-23T09:00:00.000000Z","endsAt":null}

            \(ExitStatus.help)
            """)

    @Flag(help: "JSON, one object per line.")
    var json = false
    @Flag(name: .customLong("public"), help: "The public keys as a JWK Set. HS256 has none.")
    var isPublic = false
    @OptionGroup var options: KeyFileOptions

    func run() throws {
        let keys = try options.existing().keys
        if isPublic { return try showPublic(keys) }
        var table = Table(["KEY", "ALGORITHM", "SIGNS", "ADDED", "ENDS"])
        for (index, key) in keys.keys.enumerated() {
            let signs = index == keys.signingIndex
            if json {
                Terminal.line(Self.json(key, signs: signs))
            } else {
                let end = key.retiresAt.map { $0.rfc3339 + (key.isInForce(at: .now) ? "" : " (over)") }
                table.add([
                    key.id ?? "unnamed", key.algorithm, signs ? "yes" : key.signing == nil ? "cannot" : "no",
                    key.addedAt?.rfc3339 ?? "", end ?? "",
                ])
            }
        }
        if !json { table.lines.forEach(Terminal.line) }
    }

    private static func json(_ key: TokenKey, signs: Bool) -> String {
        var text = JSONText()
        text.addRaw("kid", key.id.map(JSONText.string) ?? "null")
        text.add("algorithm", key.algorithm)
        text.add("signs", signs)
        text.add("canSign", key.signing != nil)
        text.addRaw("added", key.addedAt.map { JSONText.string($0.rfc3339) } ?? "null")
        text.addRaw("endsAt", key.retiresAt.map { JSONText.string($0.rfc3339) } ?? "null")
        return text.text
    }

    private func showPublic(_ keys: TokenKeySet) throws {
        let published = keys.keys.filter { $0.algorithm == "EdDSA" }.map { key in
            var copy = TokenKey(id: key.id, checking: key.check)
            (copy.retiresAt, copy.addedAt) = (key.retiresAt, key.addedAt)
            return copy
        }
        guard let set = TokenKeySet(published) else { throw CommandFailure("\(options.path) has no EdDSA key.") }
        Terminal.write(Array(try set.text().utf8))
    }
}
