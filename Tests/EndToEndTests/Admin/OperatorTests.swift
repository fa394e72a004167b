import EventStore
import FocusCore
import Foundation
import Support
import Testing

/// What operators ask a running `focusd`, with tokens that `focusctl` makes.
@Suite("Operators", .fewAtATime) struct OperatorTests {
    @Test(
        "A1: an admin token shows who is connected and who is large; it is no device's, nor is a device's one of those")
    func answers() async throws {
        let server = try await FocusdProcess()
        let fleet = try await Fleet(server: server, devices: 3, users: 2)
        try await fleet.append(count: 10, round: 0)
        let made = try ChildProcess(
            FocusdProcess.binary("focusctl"), ["token", "admin", "--name", "olga", "--data-dir", server.directory])
        let token = await made.rest().trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(await made.exitCode() == 0)
        func ask(_ path: String, _ token: String) async throws -> (status: Int, json: [String: Any]) {
            let answer = try #require(
                try await HTTPAnswer.get(path, port: server.adminPort, headers: ["Authorization: Bearer \(token)"]))
            let json = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
            return (answer.status, try #require(json))
        }
        let sessions = try await ask("/v1/sessions", token).json
        #expect(sessions["total"] as? Int == 3 && sessions["truncated"] as? Bool == false)
        let items = try #require(sessions["items"] as? [[String: Any]])
        #expect(Set(items.compactMap { $0["device"] as? String }) == Set(fleet.devices.map(\.id.description)))
        #expect(items.allSatisfy { $0["scope"] as? String == "system" && $0["deviceClass"] as? String == "phone" })
        let slowest = try await ask("/v1/sessions/slowest?limit=1", token).json
        #expect((slowest["items"] as? [Any])?.count == 1 && slowest["truncated"] as? Bool == true)
        let largest = try await ask("/v1/users/largest", token).json
        let users = try #require(largest["items"] as? [[String: Any]])
        #expect(Set(users.compactMap { $0["user"] as? String }) == Set(fleet.devices.map(\.user.description)))
        #expect(users.compactMap { $0["sessions"] as? Int }.reduce(0, +) == 3)
        #expect(try await ask("/v1/users/quarantined", token).json["total"] as? Int == 0)
        let partitions = try #require(try await ask("/v1/partitions", token).json["items"] as? [[String: Any]])
        let events = partitions.compactMap { $0["head"] as? Int }.reduce(0, +)
        #expect(try await server.figures()["focus_events_appended_total"] == Double(events))
        #expect(try await ask("/v1/server", token).json["version"] as? String == FocusCore.version)

        let device = try TestServer.token(fleet.devices[0].user, fleet.devices[0].id)
        #expect(try await ask("/v1/sessions", device).status == 401)
        let stranger = try await WireClient.connect(port: server.port)
        try await stranger.hello(token: token)
        #expect(try await stranger.error().code == .unauthenticated)
        await fleet.close()
        #expect(await server.terminate())
        await server.remove()
    }

    @Test("focusctl token admin makes no token for more than 30 days, or for nobody")
    func options() async throws {
        for options in [["--name", "olga", "--expires", "31d"], ["--name", ""], [], ["--name", "a\nb"]] {
            let made = try ChildProcess(FocusdProcess.binary("focusctl"), ["token", "admin"] + options)
            #expect(await made.exitCode() == 2, "\(options)")
        }
    }

    @Test("Beyond loopback the port speaks TLS with the server's certificate, and answers nothing without a token")
    func tls() async throws {
        let place = try TestDirectory.make()
        let files = try await TLSFiles.make(in: place)
        let data = place + "/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FocusdProcess.relaxDisk(of: data)
        let server = try ChildProcess(
            FocusdProcess.binary("focusd"),
            [
                "serve", "--tls-cert", files.certificate, "--tls-key", files.key, "--listen", "127.0.0.1:0",
                "--admin", "0.0.0.0:0", "--admin-host", "focus.example.com", "--data-dir", data, "--log-level", "error",
            ])
        let line = await server.firstLine()
        let port = try #require(line.firstMatch(of: #/admin=0\.0\.0\.0:(\d+) /#).flatMap { Int($0.1) }, "\(line)")
        let made = try ChildProcess(
            FocusdProcess.binary("focusctl"), ["token", "admin", "--name", "olga", "--data-dir", data])
        let token = await made.rest().trimmingCharacters(in: .whitespacesAndNewlines)
        func ask(_ path: String, _ host: String = "focus.example.com", _ token: String? = nil) async throws
            -> HTTPAnswer
        {
            let request = place + "/request-\(UUID())"
            let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            try "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(authorization)\r\n"
                .write(toFile: request, atomically: true, encoding: .utf8)
            let client = try ChildProcess(
                "/usr/bin/openssl",
                [
                    "s_client", "-quiet", "-verify_return_error", "-CAfile", files.certificate, "-connect",
                    "127.0.0.1:\(port)",
                ],
                input: request)
            return try #require(HTTPAnswer(await client.rest()), "\(path)")
        }
        for path in ["/livez", "/readyz", "/metrics", "/v1/sessions", "/"] {
            #expect(try await ask(path).status == 401, "\(path)")
        }
        #expect(try await ask("/livez", "focus.example.com", token).body == "ok\n")
        #expect(try await ask("/livez", "127.0.0.1:\(port)", token).status == 200)
        #expect(try await ask("/livez", "evil.example.com", token).status == 421)
        let figures = Exposition(try await ask("/metrics", "focus.example.com", token).body)
        let end = try #require(figures["focus_certificate_expiry_timestamp_seconds"])
        let days = (end - Date().timeIntervalSince1970) / 86_400
        #expect(days > 1.9 && days < 2.1, "the certificate of the test is for two days")
        server.signal(SIGTERM)
        #expect(await server.exitCode() == 0)
        try FileManager.default.removeItem(atPath: place)
    }
}
