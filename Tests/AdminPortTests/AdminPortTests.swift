import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import Support
import Testing

@testable import AdminPort

/// The port over real connections.
@Suite("Port for machines") struct AdminPortTests {
    private let source = FakeSource()

    @Test("/livez is 503 while threads of the server hang, and asks it nothing else")
    func live() async throws {
        try await source.serve { port in
            let answer = try #require(try await HTTPAnswer.get("/livez", port: port))
            #expect(answer.status == 200 && answer.body == "ok\n")
            source.state.withLockedValue { $0.hanging = ["event-loop-0", "lane-1"] }
            let hanging = try #require(try await HTTPAnswer.get("/livez", port: port))
            #expect(hanging.status == 503 && hanging.body == "hangs: event-loop-0, lane-1\n")
            #expect(source.state.withLockedValue { $0.questions } == 0)
        }
    }

    @Test("/readyz is 503 while anything fails, and says what with ?verbose")
    func ready() async throws {
        try await source.serve { port in
            let good = try #require(try await HTTPAnswer.get("/readyz", port: port))
            #expect(good.status == 200 && good.body == "ok\n")
            source.state.withLockedValue { state in
                state.checks.append(ReadinessCheck("lanes", isPassed: false, detail: "stuck"))
            }
            let bad = try #require(try await HTTPAnswer.get("/readyz", port: port))
            #expect(bad.status == 503 && bad.body == "not ready: lanes\n")
            let verbose = try #require(try await HTTPAnswer.get("/readyz?verbose", port: port))
            #expect(verbose.status == 503)
            #expect(verbose.body == "[+] database: answered 3 ms ago\n[-] lanes: stuck\nnot ready: lanes\n")
        }
    }

    @Test("/metrics is in Prometheus' text format, and nothing that is answered is cached or guessed at")
    func metrics() async throws {
        try await source.serve { port in
            let answer = try #require(try await HTTPAnswer.get("/metrics", port: port))
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
            #expect(answer.body == "# HELP focus_test A figure.\n# TYPE focus_test gauge\nfocus_test 1\n")
        }
    }

    @Test(
        "Questions need an admin token, lists are bounded and say so, and errors are JSON with a code",
        arguments: AdminQuestion.allCases)
    func questions(question: AdminQuestion) async throws {
        let path = "/v1/" + question.rawValue
        let token = ["Authorization: Bearer \(FakeSource.token)"]
        try await source.serve { port in
            let denied = try #require(try await HTTPAnswer.get(path, port: port))
            #expect(denied.status == 401 && denied.headers["www-authenticate"] == "Bearer")
            #expect(try Self.json(denied)["code"] as? String == "unauthenticated")
            #expect(source.state.withLockedValue { $0.questions } == 0, "nothing was asked")
            for (query, count) in [("", 100), ("?limit=1", 1), ("?x=1&limit=1000", 1_000)] {
                let answer = try #require(try await HTTPAnswer.get(path + query, port: port, headers: token))
                guard question != .partitions else {
                    #expect(answer.status == 503)
                    #expect(try Self.json(answer)["message"] as? String == "No database.")
                    continue
                }
                #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
                let list = try Self.json(answer)
                #expect((list["items"] as? [String])?.count == count)
                #expect(list["total"] as? Int == 5_000 && list["truncated"] as? Bool == true)
            }
            for query in ["?limit=0", "?limit=1001", "?limit=-1", "?limit=", "?limit=x", "?limit=1&limit=2"] {
                let answer = try #require(try await HTTPAnswer.get(path + query, port: port, headers: token))
                #expect(answer.status == 400, "\(query)")
                #expect(try Self.json(answer)["code"] as? String == "bad_request")
            }
            #expect(source.state.withLockedValue { $0.names } == ["olga"])
            let missing = try #require(try await HTTPAnswer.get(path + "/x", port: port, headers: token))
            #expect(missing.status == 404)
            #expect(try Self.json(missing)["code"] as? String == "not_found")
        }
    }

    private static func json(_ answer: HTTPAnswer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    @Test("Only GET is answered, without a body and by HTTP/1.1")
    func requests() async throws {
        try await source.serve { port in
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
                let answer = try #require(try await HTTPAnswer.get("/metrics", port: port, method: method))
                #expect(answer.status == 405 && answer.headers["allow"] == "GET", "\(method)")
            }
            let body = try await HTTPAnswer.send(
                "GET /livez HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Length: 3\r\n\r\nabc", port: port)
            #expect(body?.status == 413)
            #expect(try await HTTPAnswer.send("\u{1}\u{2}\u{3}\r\n\r\n", port: port)?.status == 400)
        }
    }

    @Test("A request of more than its bound is answered 431, one of exactly the bound is read")
    func longRequests() async throws {
        try await source.serve { port in
            let start = "GET /livez HTTP/1.1\r\nHost: localhost:\(port)\r\nX: "
            let room = 16 * 1024 - start.utf8.count - 4
            let exact = try await HTTPAnswer.send(start + String(repeating: "x", count: room) + "\r\n\r\n", port: port)
            #expect(exact?.status == 200)
            let long = try await HTTPAnswer.send(
                start + String(repeating: "x", count: room + 1) + "\r\n\r\n", port: port)
            #expect(long?.status == 431)
        }
    }

    @Test("A client that sends nothing, or half a request, is cut off")
    func slowClients() async throws {
        try await source.serve {
            $0.patience = .milliseconds(100)
        } _: { port in
            for half in ["", "GET /livez HTTP/1.1\r\nHost: loc"] {
                let answer = try await HTTPAnswer.send(half, port: port)
                #expect(answer == nil)
            }
        }
    }

    @Test("Past the bound of connections the oldest gives way, and a scrape is answered")
    func manyConnections() async throws {
        try await source.serve {
            $0.connections = 4
        } _: { port in
            let silent = try (0..<4).map { _ in try RawConnection(port: port) }
            #expect(try await HTTPAnswer.get("/livez", port: port)?.status == 200)
            #expect(silent[0].rest().isEmpty, "it was closed")
            silent[3].send("GET /livez HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            #expect(HTTPAnswer(silent[3].rest())?.status == 200, "it was not")
        }
    }

    @Test("Q2: without descriptors for those who connect the port rests and says so, and answers them later")
    func descriptorsUsedUp() async {
        // The limit holds for the whole process.
        await #expect(processExitsWith: .success) {
            let log = KeptLog()
            try await FakeSource().serve(log: log) { port in
                DescriptorLimit.leaveOne()
                let client = try RawConnection(port: port)
                client.send("GET /livez HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
                // `awaiting` would need a descriptor: the first Task.sleep of a process makes itself a timer.
                try eventually("a failure") { log.messages(.error) == ["connections cannot be accepted"] }
                DescriptorLimit.set(.max)
                #expect(HTTPAnswer(client.rest())?.status == 200)
            }
        }
    }

    @Test("G1: a machine that is gone keeps the port open for no more than a second, in which TLS waits for its answer")
    func goneMachine() throws {
        let files = try KnownCertificate()
        defer { try? FileManager.default.removeItem(atPath: files.directory) }
        var configuration = AdminConfiguration(host: "192.0.2.1", port: 0)
        configuration.certificate = (files.certificate, files.key)
        let context = try #require(try configuration.makeContext())
        #expect(context.configuration.shutdownTimeout <= .seconds(1))
    }

    @Test("Beyond loopback there is no port without a certificate")
    func plaintext() throws {
        for host in ["0.0.0.0", "::", "192.0.2.1", "example.com"] {
            #expect(throws: AdminPortError.self) {
                try AdminPort(
                    AdminConfiguration(host: host, port: 0), source: source,
                    logger: Logger(label: "test") { _ in KeptLog() })
            }
        }
    }
}
