import AdminPort
import Logging
import NIOConcurrencyHelpers
import Support

/// A server behind the port that is whatever a test says.
final class FakeSource: AdminSource {
    static let token = "a-good-token"

    struct State {
        var hanging: [String] = []
        var checks = [ReadinessCheck("database", isPassed: true, detail: "answered 3 ms ago")]
        var families: [MetricFamily] = [.gauge("focus_test", "A figure.", 1)]
        /// How often anything was asked.
        var questions = 0
        /// Who asked.
        var names: Set<String> = []
    }

    let state = NIOLockedValueBox(State())

    func hanging() -> [String] { state.withLockedValue { $0.hanging } }

    func readiness() -> [ReadinessCheck] {
        state.withLockedValue { state in
            state.questions += 1
            return state.checks
        }
    }

    func metrics() async -> [MetricFamily] {
        state.withLockedValue { state in
            state.questions += 1
            return state.families
        }
    }

    func answer(_ question: AdminQuestion, limit: Int, for name: String) async throws -> any Encodable & Sendable {
        state.withLockedValue { state in
            state.questions += 1
            state.names.insert(name)
        }
        if question == .partitions { throw AdminUnavailable("No database.") }
        return AdminList((0..<min(limit, 5_000)).map { "\(question.rawValue)-\($0)" }, total: 5_000)
    }

    func operatorName(of token: String) -> String? { token == Self.token ? "olga" : nil }

    /// Opens a port with this source behind it for as long as `body` takes.
    func serve(
        configure: (inout AdminConfiguration) -> Void = { _ in }, log: KeptLog = KeptLog(),
        _ body: (Int) async throws -> Void
    ) async throws {
        var configuration = AdminConfiguration(host: "127.0.0.1", port: 0)
        // A machine that runs all tests at once may take long; a test of this limit sets its own.
        configuration.patience = .seconds(600)
        configure(&configuration)
        let port = try AdminPort(configuration, source: self, logger: Logger(label: "test") { _ in log })
        let number = try await port.start()
        do {
            try await body(number)
        } catch {
            try await port.stop()
            throw error
        }
        try await port.stop()
    }
}
