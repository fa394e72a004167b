import FocusCore
import Foundation

/// The claims of an operator's token: who may look at a server. It is no device's token: it names neither a user, nor a
/// device, nor a scope, and is for an audience of its own.
public struct AdminClaims: Codable, Sendable {
    /// The `aud` of an operator's token.
    public static let audience = "focus-admin"
    /// How far ahead such a token may end, in microseconds: 30 days.
    public static let longestLife: Int64 = 30 * 86_400 * 1_000_000
    /// How long a name may be, in bytes.
    public static let nameBytes = 64

    /// The operator's name.
    public var sub: String
    /// The end of the token, in seconds since 1970.
    public var exp: Double
    /// The beginning of the token; absent when it is valid at once.
    public var nbf: Double?
    /// One text or several.
    public var aud: AudienceList
    /// The issuer; absent when no server asks for one.
    public var iss: String?
    /// Claims of a device's token, which this one must not have.
    private var device: String?
    private var scope: String?

    public init(name: String, expiresAt: Timestamp, issuer: String? = nil) {
        (sub, exp, iss) = (name, Double(expiresAt.microseconds) / 1_000_000, issuer)
        aud = AudienceList([Self.audience])
    }

    /// Whether they are an operator's, whatever the time is.
    var areAdmin: Bool {
        aud.contains(Self.audience) && device == nil && scope == nil && Self.isName(sub)
    }

    /// Whether the text may name an operator: it is written into logs and shown to people.
    public static func isName(_ text: String) -> Bool {
        (1...nameBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{7F}" }
    }
}

/// The claim `aud` (RFC 7519 §4.1.3): one text, or several.
public struct AudienceList: Codable, Hashable, Sendable {
    private var texts: [String]

    public init(_ texts: [String]) { self.texts = texts }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(String.self) {
            texts = [one]
        } else {
            texts = try container.decode([String].self)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if texts.count == 1 { try container.encode(texts[0]) } else { try container.encode(texts) }
    }

    public func contains(_ text: String) -> Bool { texts.contains(text) }
}
