/// `device.incarnationBegan` (rule P10): the events of one scope of a device are counted in this incarnation, for ever.
public struct DeviceIncarnationBegan: Hashable, Sendable {
    public var device: DeviceID
    public var incarnation: Incarnation
    public var scope: Scope

    public init(device: DeviceID, incarnation: Incarnation, scope: Scope) {
        self.device = device
        self.incarnation = incarnation
        self.scope = scope
    }
}

/// `device.incarnationEnded` (rule P10): the incarnation takes no further event.
public struct DeviceIncarnationEnded: Hashable, Sendable {
    public var device: DeviceID
    public var incarnation: Incarnation
    public var scope: Scope

    public init(device: DeviceID, incarnation: Incarnation, scope: Scope) {
        self.device = device
        self.incarnation = incarnation
        self.scope = scope
    }
}
