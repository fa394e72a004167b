import ArgumentParser

/// `host:port`; an IPv6 host stands in brackets. Port 0 means any free port.
struct ListenAddress {
    let host: String
    let port: Int

    /// Throws `ValidationError`, which ArgumentParser prints.
    init(_ text: String, option: String = "--listen") throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { throw ValidationError("\(option) is host:port, for example 127.0.0.1:7464; got “\(text)”.") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else {
            throw ValidationError("\(option) needs a host: 127.0.0.1, or 0.0.0.0 for every address.")
        }
        self.host = String(host)
        self.port = port
    }
}
