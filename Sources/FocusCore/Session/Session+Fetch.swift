/// Fetches under way (rules R1, R6, F6). A session has a limited number of them, so what waits for it stays bounded.
extension Session {
    mutating func receiveFetch(
        _ request: FetchRequest, _ identity: Identity, _ take: RequestQuota
    ) -> [SessionAction] {
        if case .unknown = request.question { return [.send(.error(.unknownQuestion(request: request.id)))] }
        guard fetches < limits.fetches else {
            let error = ProtocolError(
                .overloaded, "At most \(limits.fetches) fetches at a time.", retryAfterMilliseconds: 100,
                request: request.id)
            return [.send(.error(error))]
        }
        // Rule Q5.
        if let wait = take(.fetch, 1) {
            let bound = "A device asks \(limits.fetchesPerMinute) fetches a minute."
            return [.send(.error(.quotaExceeded(bound, wait: wait, request: request.id)))]
        }
        guard case .reach(let question) = request.question else {
            fetches += 1
            return [.fetch(request)]
        }
        // Rule F6. It depends on the question alone, so it says nothing of the other user.
        if let own = identity.scope.app, own != question.app {
            return [.send(.error(.notFound(request: request.id)))]
        }
        fetches += 1
        return [.reach(request.id, question, identity.viewer)]
    }

    /// The answer to a `.fetch`, or an error in its place, was written.
    public mutating func fetchAnswered() { fetches -= 1 }
}
