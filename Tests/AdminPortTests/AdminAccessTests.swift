import Testing

@testable import AdminPort

/// Who may ask what.
@Suite("Access to the port for machines") struct AdminAccessTests {
    private func access(_ host: String, names: [String] = []) -> AdminAccess {
        var configuration = AdminConfiguration(host: host, port: 0)
        configuration.names = names
        return AdminAccess(configuration, port: 9_464) { $0 == "good" ? "olga" : nil }
    }

    private func status(_ request: AdminRequest, _ access: AdminAccess) -> Int? { access.refusal(of: request)?.status }

    private static let paths =
        AdminRoute.allCases.map(\.path) + [
            "", "/", "/admin", "/metrics/", "/livez/..", "/v1", "//metrics", "/Metrics",
        ]

    @Test(
        "Without a credential loopback answers what programs watch and nothing else; other addresses answer nothing",
        arguments: paths)
    func noCredential(path: String) {
        let isOpen = ["/livez", "/readyz", "/metrics"].contains(path)
        for headers in [[], ["Bearer bad"], ["Bearer"], ["Basic good"], ["Bearer good", "Bearer good"]] {
            let request = AdminRequest(path: path, hosts: ["localhost:9464"], authorizations: headers)
            #expect(status(request, access("127.0.0.1")) == (isOpen ? nil : 401), "\(headers)")
            #expect(status(request, access("0.0.0.0")) == 401, "\(headers)")
        }
    }

    @Test("With a credential all that is there is answered, and what is not is 404", arguments: paths)
    func credential(path: String) {
        let isThere = AdminRoute(path: path) != nil
        let request = AdminRequest(path: path, hosts: ["localhost:9464"], authorizations: ["bearer good"])
        #expect(status(request, access("0.0.0.0")) == (isThere ? nil : 404))
    }

    @Test("A request must name the server by its address and port, or by a name that it was given")
    func hosts() {
        let access = access("10.1.2.3", names: ["Focus.example.com"])
        let good = [
            "10.1.2.3:9464", "127.0.0.1:9464", "LOCALHOST:9464", "[::1]:9464", "focus.example.com",
            "focus.example.com:9464",
        ]
        let bad = [
            "", "10.1.2.3", "10.1.2.4:9464", "localhost", "localhost:80", "evil.example.com:9464",
            "focus.example.com:80", "focus.example.com.evil.example.com",
        ]
        func ask(_ hosts: [String]) -> Int? {
            status(AdminRequest(path: "/livez", hosts: hosts, authorizations: ["Bearer good"]), access)
        }
        for host in good { #expect(ask([host]) == nil, "\(host)") }
        for host in bad { #expect(ask([host]) == 421, "\(host)") }
        #expect(ask([]) == 400)
        #expect(ask(["localhost:9464", "localhost:9464"]) == 400)
    }
}
