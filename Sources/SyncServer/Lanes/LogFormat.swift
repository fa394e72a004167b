import EventStore
import FocusCore
import Synchronization

/// The format of the log, shared by all threads of a server. An operator may raise it while servers run; it never
/// falls.
final class LogFormat: Sendable {
    private let known: Atomic<Int32>

    init(_ format: Int32) { known = Atomic(format) }

    /// Records the format that the log was found to have. A lower one than is known has no effect.
    func raise(to format: Int32) { known.max(format, ordering: .relaxed) }

    /// Whether the log may hold the events that bind incarnations to scopes and end them (rule P10).
    var hasIncarnations: Bool { known.load(ordering: .relaxed) >= EventStore.incarnationFormat }

    /// Whether sessions of apps keep to rule Z1. Each does for as long as it lives, or never.
    var isSilent: Bool { known.load(ordering: .relaxed) >= EventStore.silentFormat }

    /// Whether the log may hold events of the type. A server that does not know it could not fold its user.
    func allows(_ type: EventType) -> Bool {
        switch type {
        case .alertsSilencedChanged, .governmentAlertPosted, .actionHandled, .deviceActivity, .deviceActivityEnded,
            .alertRingsElsewhere:
            known.load(ordering: .relaxed) >= EventStore.actionFormat
        default: true
        }
    }

    /// Whether the log has the newest format that this program knows: it will not be raised further.
    var isNewest: Bool { known.load(ordering: .relaxed) >= EventStore.logFormats.upperBound }

    /// The versions of the protocol that the log can serve. From version 2 on it needs the events of rule P10.
    var protocolVersions: ClosedRange<UInt32> { hasIncarnations ? 1...(.max) : 1...1 }
}
