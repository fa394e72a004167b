import Answers
import EventStore
import FocusCore
import PostgresClient
import Programs

/// Looks for a rule's names in the log, and ends as soon as all are found.
struct WhatIfNameCheck {
    private struct Complete: Error {}

    private var names: WhatIfNames

    init(_ rule: WhatIfRule) { names = WhatIfNames(rule) }

    /// Throws `CommandFailure` that says which names nobody has, and which there are.
    /// - Parameters:
    ///   - users: whose events are looked at; nil: everybody's.
    ///   - place: names the rule in the message.
    static func check(
        _ rule: WhatIfRule, of users: [UserID]?, in log: LogIdentity, _ configuration: PostgresConfiguration,
        on connection: PostgresConnection, as place: String
    ) throws {
        var check = WhatIfNameCheck(rule)
        guard !check.names.isComplete else { return }
        do {
            if let users {
                for user in users { try check.look(user, in: log.partition(of: user), on: connection) }
            } else {
                try check.lookAtAll(log, configuration, on: connection)
            }
        } catch is Complete {
            return
        }
        let sentences = check.names.missing.map { "\(place): \(sentence($0, ofSome: users != nil))" }
        throw CommandFailure(sentences.joined(separator: "\n"))
    }

    private mutating func look(_ user: UserID, in partition: Partition, on connection: PostgresConnection) throws {
        try LogReader().forEachEvent(of: user, partition: partition, on: connection) { event in
            try see(event)
            return true
        }
    }

    private mutating func lookAtAll(
        _ log: LogIdentity, _ configuration: PostgresConfiguration, on connection: PostgresConnection
    ) throws {
        let ranges = try LogReader().heads(of: log.allPartitions, on: connection).map {
            PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset)
        }
        let store = StoreConfiguration(configuration, assumesRole: false)
        try LogReplay(store, filter: ReplayFilter(types: WhatIfNames.types)).run(ranges) { try see($0) }
    }

    private mutating func see(_ event: LoggedEvent) throws {
        guard EventType(rawValue: event.type).map(WhatIfNames.types.contains) ?? false else { return }
        // What cannot be read names nobody. Whose it is, is told when the users are looked at.
        guard let body = try? event.decoded().body else { return }
        names.see(body, of: event.app)
        if names.isComplete { throw Complete() }
    }

    private static func sentence(_ missing: WhatIfNames.Missing, ofSome: Bool) -> String {
        let whom = ofSome ? "none of these users has" : "nobody has"
        let kind = missing.kind == .app ? "an app" : "a \(missing.kind.rawValue)"
        let there = NearNames.list(missing.known, by: missing.name).map { "There are: \($0)." } ?? "There is none."
        return "\(whom) \(kind) “\(missing.name)”. \(there)"
    }
}
