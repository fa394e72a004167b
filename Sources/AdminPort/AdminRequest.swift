import NIOHTTP1

/// What a request asks, and what it says of who asks.
struct AdminRequest: Hashable, Sendable {
    var method: String
    /// Without the query.
    var path: String
    var query: String
    /// The values of all `Host` headers.
    var hosts: [String]
    /// The values of all `Authorization` headers.
    var authorizations: [String]

    init(
        method: String = "GET", path: String, query: String = "", hosts: [String], authorizations: [String] = []
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.hosts, self.authorizations) = (hosts, authorizations)
    }

    init(_ head: HTTPRequestHead) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: head.method.rawValue, path: String(parts.first ?? ""),
            query: parts.count > 1 ? String(parts[1]) : "",
            hosts: head.headers["host"], authorizations: head.headers["authorization"])
    }

    var route: AdminRoute? { AdminRoute(path: path) }

    /// How many items of a list are asked for: 1 to 1,000, or 100 where the query says nothing. Nil for anything else.
    var limit: Int? {
        let values = query.split(separator: "&").filter { $0.hasPrefix("limit=") }
        guard let value = values.first else { return Self.usualLimit }
        guard values.count == 1, let limit = Int(value.dropFirst("limit=".count)),
            (1...Self.greatestLimit).contains(limit)
        else { return nil }
        return limit
    }

    private static let (usualLimit, greatestLimit) = (100, 1_000)

    /// Whether the query has the name, with a value or without one.
    func asks(for name: String) -> Bool {
        query.split(separator: "&").contains { $0.split(separator: "=").first.map { $0 == name } ?? false }
    }
}
