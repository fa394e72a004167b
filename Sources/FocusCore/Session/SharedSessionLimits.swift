/// The limits that all sessions of a server have in common: ten thousand sessions would hold them ten thousand times.
public final class SharedSessionLimits: Sendable {
    public let value: SessionLimits

    public init(_ value: SessionLimits) { self.value = value }
}
