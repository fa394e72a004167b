/// What a client may say (protocol.md, Messages).
public enum ClientMessage: Hashable, Sendable {
    case hello(Hello)
    case append(AppendRequest)
    /// `Reoffer` or `Lost` (rule S6).
    case heal(HealRequest)
    /// Protocol 2 (rule P10).
    case recall(Recall)
    /// The client has applied everything up to `version`: flow control only.
    case ack(Version)
    case resync([RowCollection])
    case ping(UInt64)
    case pong(UInt64)
    case bye
    /// A new token of the same identity (rule A2).
    case renew(token: String)
    /// Something that rows do not hold, or that is another app's (rules R1, R6).
    case fetch(FetchRequest)
    /// Asks for these users' Focus status from now on (rule V1).
    case watch([UserID])
    /// Ends the watching of these users; of all when the list is empty.
    case unwatch([UserID])
    /// The device is in use, with this app in front if it says one; or it is not any more (rule L6).
    case active(Bool, app: AppID?)
    /// A message of a kind that this program does not know (rule W3).
    case unknown
}

public struct AppendRequest: Hashable, Sendable {
    /// The sequence of the first envelope; the others follow densely.
    public var firstSequence: DeviceSequence
    public var envelopes: [Envelope]
    public init(firstSequence: DeviceSequence, envelopes: [Envelope]) {
        self.firstSequence = firstSequence
        self.envelopes = envelopes
    }
}
