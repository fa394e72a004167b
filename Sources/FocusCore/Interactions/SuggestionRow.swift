/// A person suggested for breaking through a Focus (rule I3; collection `suggestions`). The key is the handle; without
/// an app the row is over all apps. Everybody to whom at least one outgoing interaction went has one.
public struct SuggestionRow: RowMessage {
    /// Donated interactions with the person, whatever their age.
    public var outgoing: Int
    public var incoming: Int
    /// When the newest of them started.
    public var lastAt: Timestamp
    /// Σ (2·outgoing + incoming) · 2^(−age in days / 14) as of the UTC day of `lastAt`.
    public var score: Double

    public init(outgoing: Int, incoming: Int, lastAt: Timestamp, score: Double) {
        self.outgoing = outgoing
        self.incoming = incoming
        self.lastAt = lastAt
        self.score = score
    }

    /// The score as of the UTC day of `time`; as of the newest day for times before that. Every day takes the same part
    /// of every interaction's weight, so the score can be derived from the row alone.
    public func score(at time: Timestamp) -> Double {
        score * SuggestionDecay.weight(days: max(0, time.utcDay - lastAt.utcDay))
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int(1, Int64(outgoing))
        writer.int(2, Int64(incoming))
        writer.int(3, lastAt.microseconds)
        writer.double(4, score)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(outgoing: 0, incoming: 0, lastAt: Timestamp(microseconds: 0), score: 0)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: outgoing = Int(try value.int())
            case 2: incoming = Int(try value.int())
            case 3: lastAt = try value.timestamp()
            case 4: score = try value.double()
            default: break
            }
        }
    }
}

extension SuggestionRow {
    /// Nil for somebody to whom nothing went out.
    init?(_ tally: PersonTally) {
        guard tally.outgoing > 0, let lastAt = tally.lastAt else { return nil }
        self.init(outgoing: tally.outgoing, incoming: tally.incoming, lastAt: lastAt, score: tally.score)
    }
}
