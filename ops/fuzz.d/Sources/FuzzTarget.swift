/// What is fuzzed. A run takes any bytes; what must never happen is a trap, or what a target checks.
enum FuzzTarget: String {
    /// Bytes → frames → messages, by both decoders, and back.
    case frames
    /// Messages and moments → a session's actions.
    case session
    /// Payloads → events → the fold → rows and deltas.
    case events
    /// Headers and claims → who a connection acts as.
    case tokens
    /// Results of PostgreSQL → rows and events → a user's state.
    case stored

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch self {
        case .frames: fuzzFrames(FuzzInput(bytes))
        case .session: fuzzSession(FuzzInput(bytes))
        case .events: fuzzEvents(FuzzInput(bytes))
        case .tokens: fuzzTokens(FuzzInput(bytes))
        case .stored: fuzzStored(FuzzInput(bytes))
        }
    }
}

/// Set once, before libFuzzer starts its only thread of ours; a C function has no other way to know.
nonisolated(unsafe) var chosen = FuzzTarget.frames
