/// Rule V1: the users that the session watches, a bounded set. The server's lanes decide what is told about them.
extension Session {
    mutating func receiveWatch(_ users: [UserID], _ identity: Identity, _ take: RequestQuota) -> [SessionAction] {
        let all = watched.union(users)
        guard all.count <= limits.watchedUsers else {
            let message = "A session watches at most \(limits.watchedUsers) users. None of these was added."
            return [.send(.error(ProtocolError(.tooManyWatched, message)))]
        }
        guard !users.isEmpty else { return [] }
        // Rule Q5. Nothing would tell the device which of its users are not watched, so the session ends.
        if let wait = take(.watch, users.count) {
            let bound = "A device asks to watch \(limits.watchedUsersPerMinute) users a minute."
            return fail(.quotaExceeded(bound, wait: wait))
        }
        watched = all
        return [.watch(Set(users), identity.viewer)]
    }

    /// Ends the watching of these users; of all when the list is empty.
    mutating func receiveUnwatch(_ users: [UserID]) -> [SessionAction] {
        let ended = users.isEmpty ? watched : watched.intersection(users)
        watched.subtract(ended)
        return ended.isEmpty ? [] : [.unwatch(ended)]
    }
}
