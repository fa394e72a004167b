/// What a device says first: who it is, and what it has.
public struct Hello: Hashable, Sendable {
    public var minimumProtocol: UInt32
    public var maximumProtocol: UInt32
    public var token: String
    public var deviceClass: DeviceClass
    public var incarnation: Incarnation
    public var cursor: Cursor?
    /// The collections asked for; empty when all are. The decoder leaves out names that this program does not know.
    public var collections: [RowCollection]

    public init(
        minimumProtocol: UInt32, maximumProtocol: UInt32, token: String, deviceClass: DeviceClass,
        incarnation: Incarnation,
        cursor: Cursor?, collections: [RowCollection]
    ) {
        self.minimumProtocol = minimumProtocol
        self.maximumProtocol = maximumProtocol
        self.token = token
        self.deviceClass = deviceClass
        self.incarnation = incarnation
        self.cursor = cursor
        self.collections = collections
    }
}
