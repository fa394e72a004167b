import ArgumentParser
import EventStore
import Programs
import Tokens

/// Which key signs.
struct SigningKeyOptions: ParsableArguments {
    @Option(
        help: "File with the key: keys of `focusctl keys`, an HS256 secret in hex, or an Ed25519 private key (PEM).")
    var key: String?
    @Option(help: "Data directory of focusd, whose key is used. Default: focusd's own default.")
    var dataDir: String?

    func validate() throws {
        if key != nil, dataDir != nil { throw ValidationError("Either --key or --data-dir.") }
    }

    func signer() throws -> TokenSigner {
        try TokenSigner(file: key ?? (dataDir ?? EmbeddedCluster.defaultDataDirectory) + "/token.key")
    }
}
