/// What the port for machines asks of the server behind it.
public protocol AdminSource: Sendable {
    /// The threads of the server that hang: they have not gone on for so long that only a new start helps. None: it
    /// lives. Answers at once, and asks no database.
    func hanging() -> [String]
    /// What must hold for devices to be served. Answers at once, and asks no database.
    func readiness() -> [ReadinessCheck]
    /// The server's figures. Waits at most seconds, also when a part of the server does not answer.
    func metrics() async -> [MetricFamily]
    /// The answer to a question, which JSON can hold and which is bounded. Throws `AdminUnavailable`.
    /// - Parameters:
    ///   - limit: how many items a list may have.
    ///   - name: the operator who asks.
    func answer(_ question: AdminQuestion, limit: Int, for name: String) async throws -> any Encodable & Sendable
    /// The name of the operator whose token this is; nil when the token is bad, whatever is wrong with it.
    func operatorName(of token: String) -> String?
}

/// One of the things that must hold for devices to be served.
public struct ReadinessCheck: Hashable, Sendable {
    public var name: String
    public var isPassed: Bool
    /// What was found, in words.
    public var detail: String

    public init(_ name: String, isPassed: Bool, detail: String) {
        (self.name, self.isPassed, self.detail) = (name, isPassed, detail)
    }
}
