/// The answer to an event: accepted or refused.
public enum Outcome: Hashable, Sendable {
    case accepted
    case refused(code: String, message: String)

    /// How long the text of a refusal may be, in bytes of UTF-8, so that an answer has a bound (rule W1). The server's
    /// own are shorter; one that a device has brought back (rule S6) is cut.
    public static let messageBytes = 256

    /// The same, with a text of at most `messageBytes`.
    public var bounded: Outcome {
        guard case .refused(let code, let message) = self, message.utf8.count > Self.messageBytes else { return self }
        var (kept, bytes) = ("", 0)
        for scalar in message.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= Self.messageBytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        return .refused(code: code, message: kept)
    }
}

/// What the log has at the place for which a device offers an event (rule E1).
public enum SequenceCheck: Hashable, Sendable {
    /// Nothing: it is the next place of the incarnation.
    case next
    /// An event. The log says which one (`PlaceLookup`).
    case earlier
    /// Nothing: the device declared the event lost, and no event has filled the place since (rule S6).
    case lost
    /// Nothing, and events before it are missing.
    case gap(expected: DeviceSequence)
}
