/// The fuzzing targets. A run takes arbitrary bytes; it fails by a trap or by a target's own check.
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

/// Set once, before libFuzzer starts; libFuzzer calls a C function, which cannot capture it.
nonisolated(unsafe) var chosen = FuzzTarget.frames
