import Foundation

/// A token in the compact serialization (RFC 7515 §7.1): header, claims and signature in base64url, with dots between.
package struct SignedToken {
    /// The header, JSON (RFC 7515 §4).
    let header: Data
    /// The claims, JSON (RFC 7519 §4).
    package let claims: Data
    let signature: Data
    /// The bytes that the signature covers (RFC 7515 §5.1): the first two parts as they stand in the text.
    let signed: Data

    /// Nil when the text is anything but three parts in base64url. Checks no signature.
    package init?(_ text: String) {
        let (bytes, dot) = (Array(text.utf8), UInt8(ascii: "."))
        let parts = bytes.split(separator: dot, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Data(base64URL: parts[0]), let claims = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data(bytes[..<parts[1].endIndex])
    }

    /// The token's text.
    /// - Parameter sign: gives the signature of the bytes.
    static func text(header: Data, claims: Data, sign: (Data) throws -> Data) rethrows -> String {
        let signed = header.base64URL + "." + claims.base64URL
        return signed + "." + (try sign(Data(signed.utf8))).base64URL
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 4648 §5); nil when the text is anything else.
    init?(base64URL text: String) { self.init(base64URL: Array(text.utf8)[...]) }

    init?(base64URL bytes: ArraySlice<UInt8>) {
        // Arrays: to read and write Data byte by byte takes as long as the rest of a token's check.
        var base64: [UInt8] = []
        base64.reserveCapacity(bytes.count + 2)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            // These are letters of base64, which is decoded below, and not of base64url.
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: base64.append(byte)
            }
        }
        while !base64.count.isMultiple(of: 4) { base64.append(UInt8(ascii: "=")) }
        self.init(base64Encoded: Data(base64))
    }

    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }
}
