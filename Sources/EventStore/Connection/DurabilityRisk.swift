import PostgresClient

/// A setting of PostgreSQL that is off, and by which an acknowledged event may be lost. Devices give back what the log
/// has lost (rule S6), but nobody gives back what none of them still holds.
public enum DurabilityRisk: String, Sendable, CaseIterable {
    case fsync
    case fullPageWrites = "full_page_writes"
    case synchronousCommit = "synchronous_commit"

    /// What may become of acknowledged events.
    public var consequence: String {
        switch self {
        case .fsync, .fullPageWrites:
            "when the machine crashes, the database may lose acknowledged events or be damaged beyond repair"
        case .synchronousCommit: "when PostgreSQL or the machine crashes, the last acknowledged events are lost"
        }
    }

    /// The risks that the connection's session takes, by its settings.
    public static func read(on connection: PostgresConnection) throws(PostgresError) -> [DurabilityRisk] {
        let result = try connection.query(Queries.readDurability)
        var risks: [DurabilityRisk] = []
        for row in 0..<result.rowCount {
            if let risk = DurabilityRisk(rawValue: try result.text(row: row, column: 0)) { risks.append(risk) }
        }
        return risks
    }
}
