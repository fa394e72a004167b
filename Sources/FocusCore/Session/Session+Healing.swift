extension Session {
    /// Rule S6. A re-offer or a loss is counted like an append: each is answered once, by an acknowledgement or an
    /// error.
    mutating func receiveHeal(_ request: HealRequest) -> [SessionAction] {
        if let flaw = request.flaw(limits) {
            return fail(ProtocolError(.malformedFrame, flaw, sequence: request.firstSequence))
        }
        return [.heal(request)] + countUnacknowledged()
    }
}
