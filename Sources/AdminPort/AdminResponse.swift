import Foundation

/// The answer to one request.
struct AdminResponse: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
    /// Beside those that every answer has.
    var headers: [(name: String, value: String)] = []

    static func text(_ status: Int, _ text: String) -> AdminResponse {
        AdminResponse(status: status, type: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    /// Prometheus' text format.
    static func metrics(_ families: [MetricFamily]) -> AdminResponse {
        AdminResponse(
            status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: Array(MetricFamily.text(families).utf8)
        )
    }

    /// A JSON object with a code that stays and a message that may change.
    static func error(_ status: Int, _ code: String, _ message: String) -> AdminResponse {
        json(status, ErrorBody(code: code, message: message))
    }

    /// A value in JSON. One that JSON cannot hold is an error of this program: the answer says so, and the server goes
    /// on.
    static func json(_ status: Int, _ value: any Encodable) -> AdminResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return AdminResponse(
                status: status, type: "application/json", body: Array(try encoder.encode(value)) + [UInt8(ascii: "\n")])
        } catch {
            return text(500, "The answer cannot be written as JSON.\n")
        }
    }

    static var notFound: AdminResponse { error(404, "not_found", "There is nothing at that path.") }

    static var badLimit: AdminResponse { error(400, "bad_request", "limit is 1 to 1000.") }

    private struct ErrorBody: Encodable {
        var code: String
        var message: String
    }
}
