/// What a user's state answers to a question.
public enum FetchOutcome: Hashable, Sendable {
    case answer(FetchAnswer)
    /// The route is finished, and its points must be read as they are stored: see `SealedRouteReader`. They never
    /// change again.
    case sealed(SealedChunks)
    /// There is no such thing, or it is not for this session: nobody can tell which.
    case notFound
    /// This program does not know the question (rule W3).
    case unknown
}

/// Where a finished route's points are. A state that was loaded after the route was finished does not have them.
public enum SealedChunks: Hashable, Sendable {
    case inState([Int: [UInt8]])
    case inTable
}

extension ProtocolError {
    /// The one answer about things that do not exist and things that are another's.
    public static func notFound(request: UInt64) -> ProtocolError {
        ProtocolError(.notFound, "There is no such thing, or this session may not read it.", request: request)
    }

    static func unknownQuestion(request: UInt64) -> ProtocolError {
        ProtocolError(.unknownMessage, "This server does not know that question.", request: request)
    }
}
