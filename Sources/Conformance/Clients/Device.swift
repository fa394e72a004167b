import FocusCore
import Foundation

/// A device as the suite plays it: its identity, and what it asks for in Hello.
struct Device: Sendable {
    var user: UserID
    var id: DeviceID
    var scope = Scope.system
    var deviceClass = DeviceClass.phone
    var incarnation = Incarnation.random()
    var collections: [RowCollection] = []

    /// A device of a new user.
    static func ofNewUser() -> Device { Device(user: UserID(UUID()), id: DeviceID(UUID())) }

    /// Another device of the same user.
    func sibling(
        scope: Scope = .system, deviceClass: DeviceClass = .tablet, collections: [RowCollection] = []
    ) -> Device {
        Device(
            user: user, id: DeviceID(UUID()), scope: scope, deviceClass: deviceClass, collections: collections)
    }

    /// The same device after its store was lost or restored: with a new incarnation.
    func reborn() -> Device {
        var device = self
        device.incarnation = .random()
        return device
    }

    func hello(token: String, cursor: Cursor? = nil, protocols: ClosedRange<UInt32> = 1...2) -> ClientMessage {
        .hello(
            Hello(
                minimumProtocol: protocols.lowerBound, maximumProtocol: protocols.upperBound, token: token,
                deviceClass: deviceClass, incarnation: incarnation, cursor: cursor, collections: collections))
    }
}

extension Incarnation {
    static func random() -> Incarnation { Incarnation(Int64.random(in: .min ... .max)) }
}
