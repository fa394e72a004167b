import AdminPort
import EventStore
import FocusCore
import Logging
import SyncServer

/// Answers to operators, as JSON. What a person would have to be asked for, payloads and keys of rows, is in none.
extension ServerView {
    func answer(_ question: AdminQuestion, limit: Int, for name: String) async throws -> any Encodable & Sendable {
        logger.info("operator asked", metadata: ["name": "\(name)", "question": "\(question.rawValue)"])
        switch question {
        case .server: return ServerAnswer(server)
        case .sessions:
            let sessions = try known(await server.sessionReports()).sorted { $0.connection > $1.connection }
            return AdminList(sessions.prefix(limit).map(SessionAnswer.init), total: sessions.count)
        case .slowestSessions:
            let sessions = try known(await server.sessionReports())
                .sorted { ($0.queuedBytes, $0.connection) > ($1.queuedBytes, $1.connection) }
            return AdminList(sessions.prefix(limit).map(SessionAnswer.init), total: sessions.count)
        case .largestUsers:
            let users = try known(await server.residentUserReports()).sorted {
                ($0.bytes, $0.user) > ($1.bytes, $1.user)
            }
            return AdminList(users.prefix(limit).map(UserAnswer.init), total: users.count)
        case .quarantinedUsers:
            let users = try known(await server.quarantinedUsers()).sorted()
            return AdminList(users.prefix(limit).map { QuarantineAnswer(user: $0.description) }, total: users.count)
        case .partitions:
            let partitions = try known(await server.partitionReports()).sorted { $0.partition < $1.partition }
            return AdminList(partitions.prefix(limit).map(PartitionAnswer.init), total: partitions.count)
        }
    }

    private func known<Answer>(_ answer: Answer?) throws -> Answer {
        guard let answer else {
            throw AdminUnavailable("The server waits for its database, and cannot tell at the moment. Ask again.")
        }
        return answer
    }
}

private struct ServerAnswer: Encodable, Sendable {
    var version = FocusCore.version
    var fold = FocusCore.foldVersion
    var log: String
    var format: Int32
    var partitions: Int32
    var connections: Int
    var checks: [Check]

    struct Check: Encodable, Sendable {
        var name: String
        var passed: Bool
        var detail: String
    }

    init(_ server: SyncServer) {
        (log, format, partitions) = (server.log.log.description, server.log.format, server.log.partitions)
        connections = server.connectionCount
        checks = ReadinessCheck.all(server.health).map { Check(name: $0.name, passed: $0.isPassed, detail: $0.detail) }
    }
}

private struct SessionAnswer: Encodable, Sendable {
    var connection: UInt64
    var user: String
    var device: String
    /// `system`, or the app.
    var scope: String
    var deviceClass: String
    var openSeconds: Double
    var queuedBytes: Int
    var behind: Bool

    init(_ report: SessionReport) {
        connection = report.connection
        (user, device) = (report.user.description, report.device.description)
        (scope, deviceClass) = (report.scope.app?.rawValue ?? "system", report.deviceClass.rawValue)
        openSeconds = Double(report.age) / 1_000
        (queuedBytes, behind) = (report.queuedBytes, report.isBehind)
    }
}

private struct UserAnswer: Encodable, Sendable {
    var user: String
    var bytes: Int
    var version: Int64
    var sessions: Int

    init(_ report: ResidentUserReport) {
        (user, bytes) = (report.user.description, report.bytes)
        (version, sessions) = (report.version.rawValue, report.sessions)
    }
}

private struct QuarantineAnswer: Encodable, Sendable {
    var user: String
}

private struct PartitionAnswer: Encodable, Sendable {
    var partition: Int32
    var head: Int64
    var checkpoint: Int64
    var lagEvents: Int64
    var generation: Int32

    init(_ report: PartitionReport) {
        (partition, generation) = (report.partition.rawValue, report.generation)
        (head, checkpoint) = (report.head.rawValue, report.checkpoint.rawValue)
        lagEvents = head - checkpoint
    }
}
