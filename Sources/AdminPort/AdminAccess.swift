/// Who may ask what. Everything is denied that is not allowed here.
struct AdminAccess: Sendable {
    private let isLoopback: Bool
    /// What a request's `Host` may be, in lower case. A page that a browser loads under a name of its own, and that
    /// leads to this port by a name server of its own, has another one.
    private let hosts: Set<String>
    private let operatorName: @Sendable (String) -> String?

    /// - Parameters:
    ///   - port: the one that the server listens on.
    ///   - operatorName: whose token it is; nil for a bad one.
    init(_ configuration: AdminConfiguration, port: Int, operatorName: @escaping @Sendable (String) -> String?) {
        isLoopback = configuration.isLoopback
        var hosts = Set(["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" })
        if configuration.host.contains(":") {
            hosts.insert("[\(configuration.host)]:\(port)".lowercased())
        } else {
            hosts.insert("\(configuration.host):\(port)".lowercased())
        }
        for name in configuration.names { hosts.formUnion([name.lowercased(), "\(name):\(port)".lowercased()]) }
        self.hosts = hosts
        self.operatorName = operatorName
    }

    /// Why the request is not answered; nil when it may be.
    func refusal(of request: AdminRequest) -> AdminResponse? {
        guard request.hosts.count == 1, let host = request.hosts.first else {
            return .error(400, "bad_request", "A request has one Host header.")
        }
        guard hosts.contains(host.lowercased()) else {
            return .error(
                421, "misdirected_request",
                "This server does not go by that name. Name it with focusd --admin-host, or use its address and port.")
        }
        guard isLoopback && request.route?.isOpenOnLoopback ?? false || name(of: request) != nil else {
            var response = AdminResponse.error(
                401, "unauthenticated", "Send an admin token: Authorization: Bearer … (focusctl token admin).")
            response.headers.append(("WWW-Authenticate", "Bearer"))
            return response
        }
        guard request.route != nil else { return .notFound }
        guard request.method == "GET" else {
            var response = AdminResponse.error(405, "method_not_allowed", "Nothing can be changed here: use GET.")
            response.headers.append(("Allow", "GET"))
            return response
        }
        return nil
    }

    /// Who asks, by the token; nil where there is none that is good.
    func name(of request: AdminRequest) -> String? {
        guard request.authorizations.count == 1, let text = request.authorizations.first,
            text.lowercased().hasPrefix("bearer ")
        else { return nil }
        return operatorName(String(text.dropFirst("bearer ".count)))
    }
}
