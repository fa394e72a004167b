import EventStore
import Foundation
import PostgresClient
import Support
import Testing

@testable import focusd

/// Settings of a server from the command line, the environment and a file, with the real program.
@Suite("Settings", .fewAtATime) struct SettingsTests {
    /// Runs focusd to its end, with a file of settings if there is one.
    private func run(
        _ arguments: [String], file: String? = nil, environment: [String: String] = [:]
    ) async throws -> (code: Int32?, output: String, errors: String) {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        var arguments = arguments
        if let file {
            try file.write(toFile: place + "/focusd.json", atomically: true, encoding: .utf8)
            arguments += ["--config", place + "/focusd.json"]
        }
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"), arguments, environment: environment, input: "/dev/null",
            errors: place + "/errors")
        let output = await child.rest()
        let code = await child.exitCode()
        let errors = try String(contentsOfFile: place + "/errors", encoding: .utf8)
        return (code, output, errors.replacing(place + "/", with: ""))
    }

    private func objects(_ output: String) throws -> [String: [String: Any]] {
        var found: [String: [String: Any]] = [:]
        for line in output.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            found[try #require(object["setting"] as? String)] = object
        }
        return found
    }

    @Test(
        "An option counts before the environment, that before the file, that before what is usual; config tells which")
    func precedence() async throws {
        let file = """
            {"plaintext": true, "cache": "64MiB", "user-limit": "32MiB", "connections": 100, "verify-interval": 0.5,
             "trusted-proxy": ["10.0.0.0/8", "192.168.0.0/16"], "admin": "127.0.0.1:0", "admin-host": ["file.example"]}
            """
        let environment = [
            "FOCUSD_CACHE": "128MiB", "FOCUSD_CONNECTIONS": "200", "FOCUSD_ADMIN_HOST": "a.example, b.example",
            "FOCUSD_PORT": "tcp://10.0.0.1:80",
        ]
        let shown = try await run(
            ["config", "--cache", "256MiB", "--json"], file: file, environment: environment)
        #expect(shown.code == 0, "\(shown.errors)")
        let found = try objects(shown.output)
        func expect(_ name: String, _ value: String, _ source: String, from: String? = nil) {
            let object = found[name] ?? [:]
            #expect("\(object["value"] ?? "-")" == value && object["source"] as? String == source, "\(object)")
            #expect((object["from"] as? String)?.hasSuffix(from ?? "") ?? (from == nil), "\(object)")
        }
        expect("cache", "256MiB", "option")
        expect("connections", "200", "environment", from: "FOCUSD_CONNECTIONS")
        expect("user-limit", "32MiB", "file", from: "focusd.json")
        expect("verify-interval", "0.5", "file", from: "focusd.json")
        expect("listen", "127.0.0.1:7464", "default")
        #expect(found["plaintext"]?["value"] as? Bool == true && found["no-prepared"]?["value"] as? Bool == false)
        #expect(found["trusted-proxy"]?["value"] as? [String] == ["10.0.0.0/8", "192.168.0.0/16"])
        #expect(found["admin-host"]?["value"] as? [String] == ["a.example", "b.example"], "one place gives the list")
        #expect(found.count == Setting.all.count && found.count > 25)
        let table = try await run(["config", "--cache", "256MiB"], file: file, environment: environment)
        let lines = table.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.contains(["connections", "200", "FOCUSD_CONNECTIONS"]), "\(table.output)")
        let off = try await run(
            ["config", "--tls-cert", "c", "--tls-key", "k", "--json"], file: #"{"plaintext": true}"#,
            environment: ["FOCUSD_PLAINTEXT": "false"])
        #expect(off.code == 0, "\(off.errors)")
    }

    @Test("A name that is no setting, a value of another kind, a file that is none: each is told with what to do")
    func mistakes() async throws {
        for (file, complaint) in [
            (#"{"lsten": "127.0.0.1:1"}"#, "focusd.json: there is no setting “lsten”. Is it “listen”?"),
            (#"{"config": "other.json"}"#, "focusd.json: there is no setting “config”."),
            (#"{"plaintext": "yes"}"#, "focusd.json: “plaintext” is true or false."),
            (#"{"cache": true}"#, "focusd.json: “cache” is a text or a number."),
            (#"{"trusted-proxy": true}"#, "focusd.json: “trusted-proxy” is a list of texts."),
            (#"{"cache": {"size": 1}}"#, "focusd.json: “cache” is neither a text, a number, true, false"),
            (#"["listen"]"#, "focusd.json is no JSON object of settings."), ("{", "focusd.json is no JSON object"),
        ] {
            for command in ["config", "serve"] {
                let told = try await run([command, "--plaintext"], file: file)
                #expect(told.code == 2 && told.errors.hasPrefix("Error: \(complaint)"), "\(command): \(told.errors)")
            }
        }
        let missing = try await run(["serve", "--plaintext", "--config", "/nowhere/focusd.json"])
        #expect(
            missing.code == 2
                && missing.errors.hasPrefix("Error: /nowhere/focusd.json cannot be read: No such file or directory."))
        let directory = try await run(["config", "--plaintext", "--config", "/"])
        #expect(directory.code == 2 && directory.errors.hasPrefix("Error: / cannot be read"), "\(directory.errors)")
        for (variable, value, complaint) in [
            ("FOCUSD_LSTEN", "127.0.0.1:1", "There is no setting FOCUSD_LSTEN. Is it FOCUSD_LISTEN?"),
            ("FOCUSD_PLAINTEXT", "perhaps", "FOCUSD_PLAINTEXT is true or false, not “perhaps”."),
        ] {
            let told = try await run(["serve", "--plaintext"], environment: [variable: value])
            #expect(told.code == 2 && told.errors.hasPrefix("Error: \(complaint)"), "\(told.errors)")
        }
    }

    @Test("Settings are checked before anything is made, and a wrong one is told with the place that it is from")
    func checked() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let data = place + "/data"
        for command in ["serve", "config"] {
            let told = try await run(
                [command, "--plaintext", "--data-dir", data], file: #"{"cache": "1MiB"}"#,
                environment: ["FOCUSD_CONNECTIONS": "10"])
            #expect(told.code == 2, "\(told.errors)")
            #expect(told.errors.contains("--cache is at least 16MiB."), "\(told.errors)")
            #expect(told.errors.contains("--cache is from focusd.json"), "\(told.errors)")
            #expect(!told.errors.contains("FOCUSD_CONNECTIONS"), "it is not what is wrong")
            let invalid = try await run(
                [command, "--plaintext", "--data-dir", data], environment: ["FOCUSD_LOG_LEVEL": "loud"])
            #expect(invalid.code == 2 && invalid.errors.contains("loud"), "\(invalid.errors)")
            #expect(invalid.errors.contains("--log-level is from the environment: FOCUSD_LOG_LEVEL"))
        }
        #expect(!FileManager.default.fileExists(atPath: data))
    }

    @Test("A file may have comments, and commas at the end; what a comment says counts for nothing")
    func comments() async throws {
        let file = """
            // Settings of “focusd”.
            {
              // "cache": "1MiB",
              "plaintext": true, // on loopback
              /* "listen": "127.0.0.1:1", */ "admin": "127.0.0.1:9464",
              "trusted-proxy": ["10.0.0.0/8", ],
            }
            """
        let shown = try await run(["config", "--json"], file: file)
        #expect(shown.code == 0, "\(shown.errors)")
        let found = try objects(shown.output)
        let given = found.filter { $0.value["source"] as? String == "file" }.keys.sorted()
        #expect(given == ["admin", "plaintext", "trusted-proxy"])
        #expect(found["admin"]?["value"] as? String == "127.0.0.1:9464")
    }

    @Test("Secrets are not shown: a database without its password, keys by their files")
    func secrets() async throws {
        let environment = ["FOCUSD_DATABASE": "postgres://focusd:hunter2@db.example/focus?connect_timeout=3"]
        for format in [["--json"], []] {
            let shown = try await run(
                ["config", "--plaintext", "--token-key", "/keys/token.key"] + format, environment: environment)
            #expect(shown.code == 0 && shown.output.contains("/keys/token.key"), "\(shown.errors)")
            #expect(!shown.output.contains("hunter2") && shown.output.contains("db.example"), "\(shown.output)")
        }
    }

    @Test("A server runs by a file and the environment")
    func serves() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        try #"{"plaintext": true, "listen": "127.0.0.1:0", "partitions": 2, "log-level": "error"}"#
            .write(toFile: place + "/focusd.json", atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"), ["serve", "--data-dir", place + "/keys"],
            environment: ["FOCUSD_CONFIG": place + "/focusd.json", "FOCUSD_DATABASE": conninfo])
        let line = await child.firstLine()
        #expect(line.hasPrefix("focusd ready listen=127.0.0.1:") && line.hasSuffix("database=external"), "\(line)")
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        let partitions = try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            return try LogIdentity.read(on: connection).partitions
        }
        #expect(partitions == 2)
    }
}
