import Foundation

/// The answer of a server of HTTP/1.1 on loopback that closes its connections.
public struct HTTPAnswer: Sendable {
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    public var body: String

    /// Nil when the bytes are no answer.
    public init?(_ text: String) {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard lines[0].hasPrefix("HTTP/1.1 "), let status = Int(lines[0].dropFirst(9).prefix(3)) else { return nil }
        self.status = status
        headers = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        body = String(text[end.upperBound...])
    }

    /// Asks with one request; nil when the connection ends without an answer. Throws `NeverHappened` when there is no
    /// connection.
    /// - Parameters:
    ///   - method: and the path of the request.
    ///   - host: the `Host` header; nil: the address and port.
    ///   - headers: lines beside that one.
    public static func get(
        _ path: String, port: Int, method: String = "GET", host: String? = nil, headers: [String] = []
    ) async throws -> HTTPAnswer? {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + headers
        return try await send(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
    }

    /// Sends the bytes, and reads to the end, on a thread of its own.
    public static func send(_ request: String, port: Int) async throws -> HTTPAnswer? {
        try await withCheckedThrowingContinuation { done in
            Thread {
                done.resume(
                    with: Result {
                        let connection = try RawConnection(port: port)
                        connection.send(request)
                        return HTTPAnswer(connection.rest())
                    })
            }.start()
        }
    }
}
