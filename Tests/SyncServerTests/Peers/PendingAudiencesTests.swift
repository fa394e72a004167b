import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

@Suite struct PendingAudiencesTests {
    private let viewer = UserID(UUID())
    private struct Away: Error {}

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func entry(_ user: UserID = UserID(UUID()), partition: Int32 = 0) -> AudienceEntry {
        AudienceEntry(partition: Partition(partition), user: user, viewer: viewer, app: nil)
    }

    private func head(_ partition: Int32, nextOffset: Int64 = 5) -> PartitionHead {
        PartitionHead(
            partition: Partition(partition), nextOffset: LogOffset(nextOffset), lastEvent: PartitionHead.noEvent,
            lastRecordedAt: Timestamp(microseconds: 0),
            generation: partition == 9 ? 2 : 1)
    }

    private func ask(_ audiences: inout PendingAudiences, now: Int64 = 0) -> AudienceQuestion? {
        audiences.ask(now: at(now)) { head($0.rawValue) }
    }

    private func takeUp(
        _ audiences: inout PendingAudiences, _ question: AudienceQuestion, possible: Set<AudienceEntry> = [],
        known: Set<Int32> = [0, 1], end: Int64 = 5
    ) -> [AudienceEntry: Bool] {
        let heads = Set(question.entries.map { head($0.partition.rawValue, nextOffset: end) })
        let answer = AudienceAnswer(
            number: question.number, found: .success(FoundAudiences(possible: possible, heads: heads)))
        let told = audiences.takeUp(answer, now: at(0), pauseMilliseconds: 100) {
            known.contains($0.partition.rawValue)
        }
        return Dictionary(uniqueKeysWithValues: told.map { ($0.entry, $0.isPossible) })
    }

    @Test("One question is under way at a time, of one generation and so many entries; each entry is asked for once")
    func questions() throws {
        var audiences = PendingAudiences()
        let (first, other) = (entry(), entry(partition: 9))
        for entry in [first, first, other] { audiences.need(entry) }
        let question = try #require(ask(&audiences))
        #expect(question.entries == [first] && question.generation == 1 && audiences.nextQuestion == nil)
        audiences.need(first)
        #expect(ask(&audiences) == nil && audiences.count == 2)
        #expect(takeUp(&audiences, question, possible: [first]) == [first: true])
        #expect(ask(&audiences)?.generation == 2)
        for _ in 0..<PendingAudiences.limit + 5 { audiences.need(entry()) }
        audiences.restart()
        #expect(ask(&audiences)?.entries.count == PendingAudiences.limit)
        audiences.restart()
        #expect(ask(&audiences)?.entries.count == 5)
    }

    @Test("V1: what an answer says of somebody to whom something happened meanwhile is not used; it is asked again")
    func changed() throws {
        var audiences = PendingAudiences()
        let (still, moved) = (entry(), entry())
        for entry in [still, moved] { audiences.need(entry) }
        let question = try #require(ask(&audiences))
        audiences.changed(moved.user)
        #expect(takeUp(&audiences, question) == [still: false])
        #expect(ask(&audiences)?.entries == [moved])
    }

    @Test("S6: an answer of another history of the log is not used, and the next question goes over a new connection")
    func elsewhere() throws {
        var audiences = PendingAudiences()
        let (here, there) = (entry(partition: 0), entry(partition: 1))
        for entry in [here, there] { audiences.need(entry) }
        let question = try #require(ask(&audiences))
        #expect(!question.reconnects && takeUp(&audiences, question, known: [0]) == [here: false])
        #expect(ask(&audiences) == nil, "a server left behind may be reached again and again: there is a pause")
        let again = try #require(ask(&audiences, now: 250))
        #expect(again.entries == [there] && again.reconnects)
        // An answer from before the lane began anew says nothing.
        audiences.restart()
        #expect(takeUp(&audiences, again).isEmpty && audiences.count == 1)
    }

    @Test("V1: an answer of a server that lacks what the lane knew when it asked is not used, and that server is left")
    func stale() throws {
        var audiences = PendingAudiences()
        let entry = entry()
        audiences.need(entry)
        let question = try #require(ask(&audiences))
        #expect(takeUp(&audiences, question, end: 4).isEmpty)
        let again = try #require(ask(&audiences, now: 250))
        #expect(again.reconnects && takeUp(&audiences, again, possible: [entry], end: 6) == [entry: true])
    }

    @Test("A database that refuses is asked again after a pause, over a new connection")
    func refused() throws {
        var audiences = PendingAudiences()
        audiences.need(entry())
        let question = try #require(ask(&audiences))
        let answer = AudienceAnswer(number: question.number, found: .failure(Away()))
        #expect(audiences.takeUp(answer, now: at(5), pauseMilliseconds: 100) { _ in true }.isEmpty)
        #expect(audiences.nextQuestion == at(105) && ask(&audiences, now: 104) == nil)
        let again = try #require(ask(&audiences, now: 105))
        #expect(again.entries == question.entries && again.reconnects && !question.reconnects)
    }
}
