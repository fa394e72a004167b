import FocusCore

/// What sessions are told by one look at the users whom they watch.
struct ToldStatuses {
    private struct Told {
        let handle: SessionHandle
        var statuses: [PeerStatus]
        /// Whether it is of several users.
        var isMixed = false
    }

    private var told: [Told] = []
    /// Where each session is in `told`.
    private var places: [UInt64: Int] = [:]

    /// - Parameter statuses: of one user, sorted by app.
    mutating func add(_ statuses: [PeerStatus], to handle: SessionHandle) {
        guard !statuses.isEmpty else { return }
        if let place = places[handle.id] {
            told[place].statuses += statuses
            told[place].isMixed = true
        } else {
            places[handle.id] = told.count
            told.append(Told(handle: handle, statuses: statuses))
        }
    }

    /// What each session is told, sorted.
    var inOrder: [(SessionHandle, [PeerStatus])] {
        told.map { ($0.handle, $0.isMixed ? $0.statuses.inOrder : $0.statuses) }
    }
}

extension [PeerStatus] {
    /// Sorted by user, then by app: the order of a table would tell what else is in it (rule Z1).
    var inOrder: Self {
        sorted { ($0.user, $0.app?.rawValue ?? "") < ($1.user, $1.app?.rawValue ?? "") }
    }
}
