import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

/// A device with the real session and store, driven as `SyncClient` drives them, on a server that answers at once. The
/// test can back up and restore its directory and end its process between any two steps.
final class RestoredPhone {
    /// A copy of the device's directory.
    struct Backup {
        fileprivate let directory: TemporaryDirectory
    }

    private struct Died: Error {}

    private let directory: TemporaryDirectory
    private(set) var store: DeviceStore
    /// The process dies before the action with this number.
    var diesAt = Int.max
    /// The app makes an event before the action with this number.
    var makesAt = Int.max
    private(set) var made: [EventID] = []
    private(set) var steps = 0
    /// The verdicts that the app was told, for each event.
    private(set) var verdicts: [EventID: [AppendOutcome.Verdict]] = [:]
    private(set) var notices: [ClientNotice] = []
    private(set) var reasons: [IncarnationReason] = []
    private(set) var reports: [RecallReport] = []
    private(set) var healings: [HealingReport] = []
    private(set) var connections = 0
    private var now = MonotonicTime(milliseconds: 0)
    private var session: ClientSession?
    private var link = PlaceServer.Link()
    private var inbox: [ServerMessage] = []
    private var ending: ClientEnd?

    init(_ directory: TemporaryDirectory? = nil) throws {
        self.directory = try directory ?? TemporaryDirectory()
        store = try DeviceStore(directory: self.directory.path)
        try store.claim(Fixture.owner())
    }

    deinit { try? store.close() }

    // MARK: Life

    @discardableResult
    func make(_ count: Int, bytes: Int = 8, type: String = "badge.cleared") throws -> [EventID] {
        let draft = EventDraft(type: type, app: "com.example.x", payload: [UInt8](repeating: 1, count: bytes))
        let events = try store.enqueue([EventDraft](repeating: draft, count: count), clock: Fixture.clock)
        return events.map(\.envelope.id)
    }

    func backUp() throws -> Backup {
        let copy = try TemporaryDirectory()
        try reopen { try Self.copy(directory.path, to: copy.path) }
        return Backup(directory: copy)
    }

    func restore(_ backup: Backup) throws {
        session = nil
        try reopen { try Self.copy(backup.directory.path, to: directory.path) }
    }

    static func copy(of backup: Backup) throws -> RestoredPhone {
        let directory = try TemporaryDirectory()
        try copy(backup.directory.path, to: directory.path)
        return try RestoredPhone(directory)
    }

    private func reopen(_ between: () throws -> Void) throws {
        try store.close()
        try between()
        store = try DeviceStore(directory: directory.path)
    }

    private static func copy(_ from: String, to: String) throws {
        if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    // MARK: Connections

    /// Connects until there is nothing more to say, across deaths and new connections.
    func synchronize(_ server: inout PlaceServer) throws {
        for _ in 0..<24 {
            guard try connect(&server) else { return }
        }
        Issue.record("It connects again and again: \(reasons)")
    }

    /// Opens one connection.
    /// - Returns: whether another one is needed.
    func connect(_ server: inout PlaceServer) throws -> Bool {
        (link, inbox, ending) = (PlaceServer.Link(), [], nil)
        connections += 1
        try #require(connections < 100_000, "it connects again and again: \(reasons.suffix(3))")
        let hello = Hello(
            minimumProtocol: FocusSyncClient.protocolVersions.lowerBound,
            maximumProtocol: FocusSyncClient.protocolVersions.upperBound, token: "t", deviceClass: .phone,
            incarnation: try store.incarnation, cursor: try store.cursor, collections: [])
        session = ClientSession(
            hello: hello, queue: try store.queueRange, answered: try store.lastAnswered,
            isHealing: try store.isHealing, isRecalling: try store.isRecalling, ended: try store.endedIncarnations())
        do {
            try perform(&server) { $0.connected(now: now) }
            while ending == nil {
                if !inbox.isEmpty {
                    let message = inbox.removeFirst()
                    try perform(&server) { $0.receive(message, now: now) }
                } else if let deadline = session?.deadline, deadline - now < 3_600_000 {
                    now = deadline
                    try perform(&server) { $0.tick(now: now) }
                } else {
                    break
                }
            }
        } catch is Died {
            diesAt = .max
            session = nil
            try reopen {}
            return true
        }
        session = nil
        switch ending {
        case .reconnect?: return true
        case .failed(let error)?, .tokenRefused(let error, _)?: throw error
        case nil:
            if let cursor = server.cursor { try store.advance(to: cursor) }
            return false
        }
    }

    private func perform(_ server: inout PlaceServer, _ feed: (inout ClientSession) -> [ClientAction]) throws {
        guard var current = session else { return }
        var actions = feed(&current)
        session = current
        var next = 0
        while next < actions.count {
            if steps == diesAt { throw Died() }
            if steps == makesAt {
                made += try make(1)
                actions += session?.queued(through: try store.queueRange.last) ?? []
            }
            steps += 1
            try #require(steps < 1_000_000, "it never has said everything")
            actions += try perform(actions[next], &server)
            next += 1
        }
    }

    private func send(_ message: ClientMessage, _ server: inout PlaceServer) {
        inbox += server.receive(message, &link)
    }

    private func perform(_ action: ClientAction, _ server: inout PlaceServer) throws -> [ClientAction] {
        switch action {
        case .send(let message): send(message, &server)
        case .sendAppend(let after, let maximumBytes):
            let events = try store.queued(after: after, maximumBytes: maximumBytes)
            let (first, last) = (try #require(events.first), try #require(events.last))
            #expect(first.sequence == after.next)
            let request = AppendRequest(firstSequence: first.sequence, envelopes: events.map(\.envelope))
            send(.append(request), &server)
            return session?.appendSent(after: after, through: last.sequence) ?? []
        case .acknowledge(let appended): note(try store.acknowledge(appended, clock: Fixture.clock))
        case .beginIncarnation(let reason):
            reasons.append(reason)
            try store.beginIncarnation(
                offersHeld: reason.isOfSameLog, isEnded: reason == .ended, clock: Fixture.clock)
        case .beginRecalling(let reason):
            reasons.append(reason)
            try store.beginRecalling()
        case .sendRecall(let position):
            let (recall, next) = try store.nextToRecall(position)
            return session?.recallSent(recall, next: next) ?? []
        case .keepRecalled(let recalled, let recall):
            note(try store.keepRecalled(recalled, recall, clock: Fixture.clock))
        case .endRecalling(let report, let offersHeld):
            reports.append(report)
            try store.endRecalling(offersHeld: offersHeld)
        case .beginHealing(let logged): try store.beginHealing(logged: logged)
        case .sendHealing(let position, let maximumBytes):
            let (request, next) = try store.nextToHeal(position, maximumBytes: maximumBytes)
            if let request { send(.heal(request), &server) }
            return session?.healingSent(request, next: next) ?? []
        case .keepHealed(let appended, let request): try store.keepHealed(appended, request)
        case .endHealing(let report):
            healings.append(report)
            try store.endHealing()
        case .report(let notice): notices.append(notice)
        case .end(let end): ending = ending ?? end
        case .beginStaging, .stage, .finishSnapshot, .finishDelta, .apply, .compare, .peers, .getToken, .fetched,
            .fetchFailed:
            break
        }
        return []
    }

    private func note(_ outcomes: [AppendOutcome]) {
        for outcome in outcomes { verdicts[outcome.event, default: []].append(outcome.verdict) }
    }

    /// How many notices said that recalling waits for a newer server.
    var waits: Int { notices.count { $0 == .recallWaits } }
}
