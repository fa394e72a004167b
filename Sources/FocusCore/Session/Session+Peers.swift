/// Rule V1: whom the session watches. A bounded set; what is told of them is the lanes' business.
extension Session {
    mutating func receiveWatch(_ users: [UserID], _ identity: Identity) -> [SessionAction] {
        let all = watched.union(users)
        guard all.count <= limits.watchedUsers else {
            let message = "A session watches at most \(limits.watchedUsers) users. None of these was added."
            return [.send(.error(ProtocolError(.tooManyWatched, message)))]
        }
        guard !users.isEmpty else { return [] }
        watched = all
        return [.watch(Set(users), Viewer(user: identity.user, scope: identity.scope))]
    }

    /// None: all.
    mutating func receiveUnwatch(_ users: [UserID]) -> [SessionAction] {
        let ended = users.isEmpty ? watched : watched.intersection(users)
        watched.subtract(ended)
        return ended.isEmpty ? [] : [.unwatch(ended)]
    }
}
