import EventStore
import FocusCore
import Foundation

@testable import SyncServer

/// A lane's log over a log that is a list, and the news that it tells, in words. Suites of its parts inherit from it.
class LaneLogStage {
    let anna = UserID(UUID())
    let ben = UserID(UUID())
    let store = PartLog()
    let time = PartTime()
    let heard = Heard()

    /// Collects the news in words.
    final class Heard {
        var news: [String] = []
        var asked = 0

        func all() -> [String] {
            defer { news = [] }
            return news
        }

        func hear(_ item: LogNews) {
            switch item {
            case .followed(let event): news.append("followed \(event.offset)")
            case .caughtUp(let users): news.append("caught up \(users.count)")
            case .skipped(let user, _): news.append("skipped to \(user.lastOffset)")
            case .committed(let batch): news.append("committed \(batch.events.count)")
            case .loaded(let user, _, _): news.append("loaded \(user.state.version)")
            case .outlined(let outline, _, _): news.append("outlined \(outline.state.version)")
            case .outdated(_, let elsewhere): news.append(elsewhere ? "of another log" : "outdated")
            case .unloadable: news.append("unloadable")
            case .readModelStands(_, let checkpoint, let lacking):
                news.append("read model at \(checkpoint) lacks \(lacking.count)")
            case .checkpointRegressed(_, let checkpoint, let lacking):
                news.append("fell back to \(checkpoint), lacks \(lacking.count)")
            case .laggards(let users, _): news.append("\(users.count) laggards")
            case .readModelIsAnother: news.append("another read model")
            case .connectionIsAnother: news.append("another connection")
            case .serverIsAnother: news.append("another server")
            case .generationChanges: news.append("generation changes")
            case .generationChanged(let head, _, _): news.append("generation \(head.generation)")
            }
        }
    }

    func log(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneLog {
        var configuration = LaneConfiguration()
        change(&configuration)
        return LaneLog(
            LaneSamples.context(time, configuration), PartitionTails([PartLog.partition]) { _ in }, store,
            willAsk: { [heard] in heard.asked += 1 }, tell: { [heard] in heard.hear($0) })
    }

    func begun(_ change: (inout LaneConfiguration) -> Void = { _ in }) throws -> LaneLog {
        let log = log(change)
        try log.begin()
        _ = (heard.all(), store.called())
        return log
    }
}
