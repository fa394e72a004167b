/// The device may not act for the user any more, for good (protocol.md, rule A3).
public struct DeviceRevoked: Hashable, Sendable {
    public var device: DeviceID

    public init(device: DeviceID) { self.device = device }
}
