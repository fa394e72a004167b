import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("Rebuild refused") struct RebuildRefusalTests {
    private let fixture: RebuildFixture

    init() throws { fixture = try RebuildFixture(users: 3, events: 120) }

    private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let shown = try fixture.owner.integer("SELECT count(*) FROM log_partitions WHERE generation = 1")
        #expect(shown == 4, sourceLocation: sourceLocation)
    }

    @Test("Archived history: refused with the reason, and nothing is made")
    func archived() throws {
        try fixture.owner.execute("UPDATE log_partitions SET first_offset = 7 WHERE partition = 0")
        #expect(throws: RebuildError.historyArchived(Partition(0), first: LogOffset(7))) {
            try fixture.rebuilder().rebuild()
        }
        #expect(try fixture.owner.integer("SELECT count(*) FROM generations") == 1)
        try expectUntouched()
    }

    @Test("Erased events at the end of a stream, or in the middle: refused with the reason before anything is shown")
    func erased() throws {
        let user = fixture.history.users[0]
        let count = Int64(fixture.history.events.count)
        try fixture.owner.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        try fixture.owner.execute(
            """
            DELETE FROM events WHERE user_id = '\(user)'
            AND version = (SELECT max(version) FROM events WHERE user_id = '\(user)')
            """)
        #expect(
            throws: RebuildError.historyIncomplete(RandomHistory.partition, expected: count, found: count - 1)
        ) {
            try fixture.rebuilder().rebuild()
        }
        try expectUntouched()
        #expect(try fixture.rebuilder().dropOld() == [2])
        try fixture.owner.execute("DELETE FROM events WHERE user_id = '\(user)' AND version = 5")
        let error = #expect(throws: RebuildError.self) { try fixture.rebuilder().rebuild() }
        guard case .unfoldable(user, after: Version(4), _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try expectUntouched()
    }

    @Test("An encoding that this program does not read: refused with the reason")
    func unreadable() throws {
        try fixture.owner.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        try fixture.owner.execute("UPDATE events SET encoding = 9 WHERE log_offset = 30 AND partition = 0")
        let error = #expect(throws: RebuildError.self) { try fixture.rebuilder().rebuild() }
        guard case .unfoldable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try expectUntouched()
    }

    @Test("A second one at the same time is refused; after an interrupted one only resuming or giving up is left")
    func second() throws {
        let other = try fixture.fixture.owner()
        #expect(try other.query(Queries.lockRebuild).bool(row: 0, column: 0))
        #expect(throws: RebuildError.busy) { try fixture.rebuilder().rebuild() }
        #expect(throws: RebuildError.busy) { try fixture.rebuilder().dropOld() }
        try other.releaseAndClose()
        #expect(throws: RebuildError.nothingToResume) { try fixture.rebuilder().resume() }
        try fixture.owner.execute("SELECT create_generation(2, \(FocusCore.foldVersion))")
        try fixture.owner.execute(
            """
            INSERT INTO rebuilds (generation, kind, verifies) VALUES (2, 'rebuild', true);
            INSERT INTO rebuild_partitions (generation, partition, phase, through)
            SELECT 2, partition, 'filling', next_offset FROM log_partitions
            """)
        #expect(throws: RebuildError.unfinished(generation: 2)) { try fixture.rebuilder().rebuild() }
        #expect(throws: RebuildError.unfinished(generation: 2)) { try fixture.rebuilder().rollBack() }
        let report = try fixture.rebuilder().resume()
        #expect(report.generation == 2 && !report.keepsOld)
        #expect(try fixture.differences(1, 2) == [:])
        #expect(throws: RebuildError.nothingToResume) { try fixture.rebuilder().resume() }
    }

    @Test("A generation of another fold is neither resumed nor rolled back to")
    func otherFold() throws {
        _ = try fixture.rebuilder().rebuild()
        try fixture.owner.execute("UPDATE generations SET fold_version = 1 WHERE generation = 1")
        #expect(throws: RebuildError.otherFold(generation: 1, fold: 1)) { try fixture.rebuilder().rollBack() }
    }

    @Test("What was filled in wrongly is found by --verify, and never shown")
    func verificationFails() throws {
        try fixture.owner.execute("SELECT create_generation(2, \(FocusCore.foldVersion))")
        try fixture.owner.execute(
            """
            INSERT INTO rebuilds (generation, kind, verifies) VALUES (2, 'rebuild', true);
            INSERT INTO rebuild_partitions (generation, partition, phase, through)
            SELECT 2, partition, 'filling', next_offset FROM log_partitions;
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.memo := NEW.memo || '\\x00'; RETURN NEW; END $$;
            CREATE TRIGGER spoil BEFORE INSERT ON read_2.devices FOR EACH ROW EXECUTE FUNCTION spoil();
            """)
        let error = #expect(throws: RebuildError.self) { try fixture.rebuilder().resume() }
        guard case .verificationFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try expectUntouched()
    }
}
