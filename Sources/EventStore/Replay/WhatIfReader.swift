import FocusCore
import PostgresClient

/// Replays users' histories under a rule. Reads the log, writes nothing.
public struct WhatIfReader: Sendable {
    private let rule: WhatIfRule
    private let since: Timestamp?
    private let until: Timestamp?

    /// - Parameters:
    ///   - since: only alerts that came out differently at this time of the server's clock or later are told; badges
    ///     and routes always are. The rule holds from the first event on all the same.
    ///   - until: events recorded at this time or later are left out.
    public init(_ rule: WhatIfRule, since: Timestamp? = nil, until: Timestamp? = nil) {
        self.rule = rule
        self.since = since
        self.until = until
    }

    /// Tells `body` what one user would have seen otherwise. Returns how many events were looked at.
    ///
    /// Throws `PostgresError`; `EventStoreError`, `PayloadError` or `FoldError` when the history does not fold.
    @discardableResult
    public func run(
        _ user: UserID, in partition: Partition, on connection: PostgresConnection,
        _ body: (WhatIfDifference) throws -> Void
    ) throws -> Int {
        var whatIf = WhatIf(rule, of: user)
        try LogReader().forEachEvent(of: user, partition: partition, on: connection) { event in
            if let until, event.recordedAt >= until { return false }
            try tell(whatIf.apply(event.decoded(), due: Self.due), body)
            return true
        }
        try tell(whatIf.finish(), body)
        return Int(whatIf.before.version.rawValue)
    }

    private func tell(_ differences: [WhatIfDifference], _ body: (WhatIfDifference) throws -> Void) rethrows {
        for difference in differences {
            if case .alert(let alert) = difference, let since, alert.recordedAt < since { continue }
            try body(difference)
        }
    }

    private static func due(_ state: borrowing UserState, _ time: Timestamp) -> (at: Timestamp, body: EventBody)? {
        state.dueEvent(at: time).map { ($0.at, $0.body) }
    }
}
