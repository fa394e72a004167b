/// What is wrong with a file of keys, and what to do.
public enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String, reason: String)
    case unwritable(String, reason: String)
    /// There is a file where one was to be made.
    case exists(String)
    /// The file holds no keys of tokens.
    case noTokenKeys(String)
    /// The file holds no key of receipts.
    case noReceiptKey(String)
    /// The log has events, so it was served with keys of tokens that are not there.
    case tokenKeyMissing(String)
    /// The log has events, so it was served with a key of receipts that is not there.
    case receiptKeyMissing(String)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)."
        case .exists(let path): "\(path) cannot be made: there is a file or a link of that name."
        case .noTokenKeys(let path):
            """
            \(path) holds no keys of tokens: a JWK Set (RFC 7517), at least 64 hex digits, or an Ed25519 public key in PEM. \
            The names of a set's keys differ, and at most one of them signs.
            """
        case .noReceiptKey(let path): "\(path) is no receipt key: at least 64 hex digits."
        case .tokenKeyMissing(let path):
            """
            The log has events, and \(path) is missing. A new key would shut every device out, so none is made. Put the \
            file back, copy it from another server of this log, or name it with --token-key. If it is gone for good: \
            `focusctl keys add --file \(path)` makes another; then issue new tokens.
            """
        case .receiptKeyMissing(let path):
            """
            The log has events, and \(path) is missing. With a new key no device could give back what the log loses, so \
            none is made. Put the file back, copy it from another server of this log, or name it with --receipt-key. If \
            receipts were made from the secret of tokens until now, put that secret into it, in hex. If it is gone for \
            good: (umask 077; openssl rand -hex 32 > \(path)).
            """
        }
    }
}
