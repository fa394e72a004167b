import EventStore
import FocusCore
import FocusWire
import Programs
import Tokens

/// Events as they may leave the operator's hands (`replay --pseudonymize`).
struct ReplayPseudonyms: Sendable {
    private let names: Pseudonyms

    /// Reads the key. Throws `CommandFailure` when the file cannot be read or holds something else.
    init(keyFile: String) throws(CommandFailure) {
        let text: String
        do {
            text = try TextFile.read(keyFile)
        } catch {
            throw CommandFailure("\(error) To make a key: (umask 077; openssl rand -hex 32 > \(keyFile))")
        }
        guard let secret = HexSecret.bytes(text) else {
            throw CommandFailure("\(keyFile) is no key of pseudonyms: at least 64 hex digits.")
        }
        names = Pseudonyms(secret: secret)
    }

    /// The event under pseudonyms. A payload that this program cannot read is left out, because nobody knows whom it
    /// names.
    func hiding(_ event: LoggedEvent) -> LoggedEvent {
        var hidden = event
        hidden.user = names.user(event.user)
        hidden.device = names.device(event.device)
        if let body = try? event.decoded().body {
            hidden.payload = PayloadCodec.encode(names.hiding(body))
            hidden.schemaVersion = FocusWire.payloadSchemaVersion
        } else {
            hidden.payload = []
        }
        return hidden
    }
}
