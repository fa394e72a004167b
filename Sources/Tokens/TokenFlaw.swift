/// What is wrong with a token, for the operator's log alone: whoever brought it learns nothing (rule A1).
public enum TokenFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It is no signed token at all.
    case malformed = "the token is malformed"
    /// No key that is in force has signed it: it is forged, or its key is retired, or this server has other keys.
    case unsigned = "no key in force has signed the token"
    /// It names no user and device, or it is an operator's.
    case foreign = "the token's claims are not a device's"
    /// Its issuer or its audience is not the one that the server demands.
    case undemanded = "the token is of another issuer or for another audience"
    case expired = "the token has expired"
    /// Its `nbf` is still to come.
    case early = "the token is not valid yet"
    /// It ends later than `TokenVerifier.longestLife` allows.
    case longLived = "the token is valid for too long"
}
