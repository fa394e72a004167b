/// Device tokens: JSON Web Tokens (RFC 7519), which say for which user, device and app a connection acts (rule A1).
/// A module of its own, because whoever issues tokens needs no server, and because what keeps strangers out should be
/// read in one sitting. The cryptography itself is swift-crypto's.
///
/// Flow: text of a key file → `TokenKeySet` → `TokenSigner.token(TokenClaims)` → the text that a device sends in Hello →
/// `TokenVerifier.check(_:now:)` → who the connection acts as, or nil.
///
/// Everything here is a function of its arguments: it reads no file and no clock.
public enum Tokens {}
