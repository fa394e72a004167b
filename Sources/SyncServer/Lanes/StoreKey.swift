import FocusCore

/// Names a device's local store: of two connections of one, the newer wins.
struct StoreKey: Hashable {
    var user: UserID
    var device: DeviceID
    var scope: Scope
    var incarnation: Incarnation
}
