import EventStore
import Synchronization

/// The format of the log, which an operator may raise while servers run. It never falls.
final class LogFormat: Sendable {
    private let known: Atomic<Int32>

    init(_ format: Int32) { known = Atomic(format) }

    func raise(to format: Int32) { known.max(format, ordering: .relaxed) }

    /// Whether the log may say whose incarnations are, and when they end (rule P10).
    var hasIncarnations: Bool { known.load(ordering: .relaxed) >= EventStore.incarnationFormat }

    /// What devices are offered: version 2 asks for what only such a log can answer.
    var protocolVersions: ClosedRange<UInt32> { hasIncarnations ? 1...2 : 1...1 }
}
