import Crypto
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Time travel")
struct TimeTravelTests {
    private let fixture: StoreFixture
    private let history: RandomHistory
    private let user: UserID
    private let log = LogID(UUID())
    private let directory: String

    init() throws {
        fixture = try StoreFixture()
        history = try RandomHistory(seed: 31, users: 2, events: 900)
        try history.log(on: fixture.connection())
        user = history.users[0]
        directory = try TestDirectory.make()
    }

    private func remove() { try? FileManager.default.removeItem(atPath: directory) }

    private func cache(limitBytes: Int = 1 << 30) -> StateCache {
        StateCache(directory: directory, log: log, limitBytes: limitBytes, leastSpacing: 50)
    }

    private func state(at version: Version, _ cache: StateCache?) throws -> UserState {
        let connection = try fixture.connection()
        defer { connection.close() }
        return try StateReader(cache: cache).state(
            of: user, in: RandomHistory.partition, at: version, head: history.last(of: user).version, on: connection)
    }

    private static func rows(_ state: UserState) -> [RowKey: Row] {
        Dictionary(uniqueKeysWithValues: state.rowKeys.compactMap { key in state.row(key).map { (key, $0) } })
    }

    @Test("The state of any version is the one that was, with a cache and without, cold and warm")
    func anyVersion() throws {
        defer { remove() }
        let head = history.last(of: user).version
        for version in [0, 1, 49, 50, 51, head.rawValue / 2, head.rawValue].map({ Version($0) }) {
            let expected = Self.rows(history.state(of: user, at: version))
            #expect(try Self.rows(state(at: version, nil)) == expected)
            #expect(try Self.rows(state(at: version, cache())) == expected)
            #expect(try Self.rows(state(at: version, cache())) == expected, "from the cache")
        }
        // Every other one, but each where somebody asked: before 51, and before half of the stream and its end.
        let kept = cache().versions(of: user, upTo: head)
        let asked = [51, head.rawValue / 2, head.rawValue]
        let expected = (1...head.rawValue / 50).map { $0 * 50 }.filter { version in
            version % 100 == 0 || asked.contains { $0 >= version && $0 - version < 100 }
        }
        #expect(kept == expected.reversed().map { Version($0) })
    }

    @Test("A cached state folds on to the same bytes as one that was never written down")
    func foldsOn() throws {
        let head = history.last(of: user)
        for version in stride(from: Int64(1), to: head.version.rawValue, by: 37) {
            let state = history.state(of: user, at: Version(version))
            var again = try UserState(user: user, snapshot: state.snapshot)
            #expect(again.snapshot == state.snapshot)
            for logged in history.events where logged.user == user && logged.version.rawValue > version {
                _ = try again.apply(logged.decoded())
            }
            #expect(again.snapshot == head.snapshot)
        }
        #expect(throws: FoldError.self) { _ = try UserState(user: user, snapshot: [0x12, 0x05, 0x0A]) }
    }

    @Test("S6: a cached state of another history, a damaged one and one of another version are not used")
    func distrusted() throws {
        defer { remove() }
        let head = history.last(of: user).version
        _ = try state(at: head, cache())
        let folder = "\(directory)/\(log)/marked-fold-\(FocusCore.foldVersion)/\(user)"
        // A state of another user's events, stored under this user's name.
        var foreign = UserState(user: user)
        for logged in history.events where logged.user == history.users[1] && logged.version.rawValue <= 100 {
            _ = try foreign.apply(logged.decoded())
        }
        try cache().store(KeptState(foreign, recordedAt: Timestamp(microseconds: 0)))
        var bytes = try Data(contentsOf: URL(filePath: "\(folder)/200"))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: "\(folder)/200"))
        for version in [Version(100), Version(120), Version(210)] {
            let expected = Self.rows(history.state(of: user, at: version))
            #expect(try Self.rows(state(at: version, cache())) == expected)
        }
    }

    @Test("S6: of a log that was restored, and healed with the same events, nothing is used that was kept before")
    func healed() throws {
        defer { remove() }
        let head = history.last(of: user).version
        let before = try Self.rows(state(at: head, cache()))
        _ = try changes(Version(30), Version(220), cache())
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute(
            """
            ALTER TABLE events DISABLE TRIGGER ALL;
            UPDATE events SET encoding = \(LoggedEvent.healed), recorded_at = recorded_at + interval '1 hour'
            WHERE user_id = '\(user)' AND version > 90
            """)
        #expect(try Self.rows(state(at: head, nil)) != before)
        for (from, to) in [(Version(30), Version(220)), (Version(110), head)] {
            #expect(try changes(from, to, cache()) == changes(from, to, nil))
            #expect(try changes(from, to, cache(), isBeside: true) == changes(from, to, nil))
        }
        for version in [Version(80), Version(100), Version(210), head] {
            #expect(try Self.rows(state(at: version, cache())) == Self.rows(state(at: version, nil)))
        }
    }

    @Test("The cache is bounded: versions of a user are thinned as the stream grows, and what is unused leaves")
    func bounded() throws {
        defer { remove() }
        let head = history.last(of: user).version
        #expect(cache().spacing(head: Version(50 * 64)) == 50)
        #expect(cache().spacing(head: Version(50 * 65 + 49)) == 100)
        _ = try state(at: head, cache())
        cache().trim(user, head: Version(50 * 200))
        #expect(cache().versions(of: user, upTo: head).allSatisfy { $0.rawValue % 200 == 0 })
        cache(limitBytes: 0).trim(user, head: head)
        #expect(cache().versions(of: user, upTo: head).isEmpty)
    }

    @Test("The cache's bound holds for all logs and folds in the directory, and for nothing else there")
    func boundOfAll() throws {
        defer { remove() }
        let head = history.last(of: user).version
        _ = try state(at: head, cache())
        let fold = "marked-fold-\(FocusCore.foldVersion)"
        let others = ["\(log)/marked-fold-0", "\(LogID(UUID()))/\(fold)", "other/\(fold)", "\(log)/other"]
            .map { URL(filePath: directory).appending(path: "\($0)/\(user)") }
        let longAgo = Date(timeIntervalSince1970: 0)
        for folder in others {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "100")
            try Data(count: 1 << 20).write(to: file)
            try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: file.path)
        }
        cache(limitBytes: 1 << 20).trim(user, head: head)
        #expect(!cache().versions(of: user, upTo: head).isEmpty)
        let left = others.map { FileManager.default.fileExists(atPath: $0.appending(path: "100").path) }
        #expect(left == [false, false, true, true])
    }

    @Test("A time is the last version recorded by then")
    func byTime() throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let own = history.events.filter { $0.user == user }
        let head = own[own.count - 1].version
        #expect(try StateReader().head(of: user, in: RandomHistory.partition, on: connection) == head)
        for event in [own[0], own[own.count / 2], own[own.count - 1]] {
            for time in [event.recordedAt, event.recordedAt.adding(microseconds: -1)] {
                let expected = own.last { $0.recordedAt <= time }?.version ?? .zero
                #expect(
                    try LogReader().lastVersion(
                        of: user, partition: RandomHistory.partition, recordedUpTo: time, head: head, on: connection)
                        == expected)
            }
        }
    }

    @Test("A difference names exactly the rows that differ, with both values and the events that changed them")
    func difference() throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let head = history.last(of: user).version
        let windows = stride(from: Int64(40), to: head.rawValue - 60, by: 15).map { ($0, $0 + 60) }
        for (from, to) in windows + [(0, 40), (40, 41), (200, 200), (0, head.rawValue)] {
            let found = try StateDifference(
                of: user, in: RandomHistory.partition, from: Version(from), to: Version(to), head: head,
                with: StateReader(), on: connection)
            let (old, new) = (shown(Version(from)), shown(Version(to)))
            let expected = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
            #expect(found.changes.map(\.key) == expected)
            for change in found.changes {
                #expect(change.before == old[change.key] && change.after == new[change.key])
                let last = try #require(change.causes.last)
                #expect(last.version.rawValue > from && last.version.rawValue <= to)
                #expect(change.causes.map(\.version) == change.causes.map(\.version).sorted())
                if change.after != nil {
                    #expect(history.state(of: user, at: Version(to)).row(change.key)?.version == last.version)
                }
            }
        }
    }

    @Test("A difference is the same from kept states and changes as from the events between, wherever it begins")
    func keptDifference() throws {
        defer { remove() }
        let head = history.last(of: user).version
        _ = try state(at: head, cache())
        let windows = stride(from: Int64(0), to: head.rawValue - 130, by: 23).map { ($0, $0 + 130) }
        for (from, to) in windows + [(0, head.rawValue), (49, 50), (50, 100), (49, 151), (100, 149)] {
            let (from, to) = (Version(from), Version(to))
            // Where something is kept between, nothing else is folded.
            let kept = StateReader(cache: cache()).keptVersions(user, past: from, upTo: to)
            #expect((kept != nil) == (cache().versions(of: user, upTo: to).first ?? .zero > from))
            let expected = try changes(from, to, nil)
            #expect(try changes(from, to, cache()) == expected)
            #expect(try changes(from, to, cache(), isBeside: true) == expected)
        }
    }

    @Test("Where enough is kept, a difference is found though no event between the kept versions can be read")
    func foldsNothingBetween() throws {
        defer { remove() }
        _ = try state(at: history.last(of: user).version, cache())
        let (from, to) = (Version(120), Version(330))
        let expected = try changes(from, to, nil)
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        try owner.execute("UPDATE events SET encoding = 9 WHERE user_id = '\(user)' AND version BETWEEN 121 AND 300")
        #expect(throws: EventStoreError.self) { try changes(from, to, nil) }
        for isBeside in [false, true] { #expect(try changes(from, to, cache(), isBeside: isBeside) == expected) }
    }

    @Test("Changes that are damaged, evicted or of another history are not used, and a difference keeps them anew")
    func distrustedChanges() throws {
        defer { remove() }
        let head = history.last(of: user).version
        let (from, to) = (Version(30), Version(220))
        let expected = try changes(from, to, nil)
        let file = "\(directory)/\(log)/marked-fold-\(FocusCore.foldVersion)/\(user)/200.changes"
        let spoilt: [(String) throws -> Void] = [
            { try FileManager.default.removeItem(atPath: $0) },
            { path in
                var bytes = try Data(contentsOf: URL(filePath: path))
                bytes[bytes.count - 1] ^= 1
                try bytes.write(to: URL(filePath: path))
            },
            { path in
                // The same versions of a user with other events: none changed a row.
                let kept = try #require(cache().changes(of: user, upTo: Version(200), withRows: true))
                var other = kept.changes
                (other.rows, other.startEvent) = ([], EventID(UUID()))
                let times = try Data(contentsOf: URL(filePath: path)).dropFirst(SHA256.byteCount).prefix(16)
                let bytes = times + Data(other.encoded)
                try (Data(SHA256.hash(data: bytes)) + bytes).write(to: URL(filePath: path))
            },
        ]
        for spoil in spoilt {
            _ = try state(at: head, cache())
            try spoil(file)
            #expect(try changes(from, to, cache()) == expected)
            cache().trim(user, head: head)
            #expect(try changes(from, to, cache()) == expected)
            try FileManager.default.removeItem(atPath: directory)
        }
    }

    @Test("Changes are kept and evicted with the state at which they end")
    func boundedChanges() throws {
        defer { remove() }
        _ = try state(at: history.last(of: user).version, cache())
        let folder = "\(directory)/\(log)/marked-fold-\(FocusCore.foldVersion)/\(user)"
        cache().trim(user, head: Version(50 * 200))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names) == ["200", "200.changes", "400", "400.changes"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    private func changes(
        _ from: Version, _ to: Version, _ cache: StateCache?, isBeside: Bool = false
    ) throws -> [StateDifference.Change] {
        let (connection, beside) = (try fixture.connection(), isBeside ? try fixture.connection() : nil)
        defer {
            connection.close()
            beside?.close()
        }
        return try StateDifference(
            of: user, in: RandomHistory.partition, from: from, to: to, head: history.last(of: user).version,
            with: StateReader(cache: cache), on: connection, beside: beside
        ).changes
    }

    /// The public rows of a version.
    private func shown(_ version: Version) -> [RowKey: [UInt8]] {
        let state = history.state(of: user, at: version)
        return Dictionary(
            uniqueKeysWithValues: state.rowKeys.filter(\.collection.isPublic).compactMap { key in
                state.row(key).flatMap { $0.isDeleted ? nil : (key, $0.value) }
            })
    }
}
