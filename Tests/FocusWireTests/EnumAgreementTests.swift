import FocusCore
import SwiftProtobuf
import Testing

@testable import FocusWire

/// `FocusCore`'s raw values are the numbers of the .proto files, with the same names.
@Suite("Enum agreement")
struct EnumAgreementTests {
    private func expectAgreement<Core, Wire>(
        _: Core.Type, _: Wire.Type
    ) where Core: CaseIterable & RawRepresentable<Int32>, Wire: SwiftProtobuf.Enum & CaseIterable {
        for value in Core.allCases {
            let name = String(describing: Wire(number: value.rawValue))
            #expect(name == String(describing: value), "\(Core.self) \(value.rawValue)")
        }
        // The reverse: apart from the unspecified zero, the .proto file has no further value.
        #expect(Set(Wire.allCases.map { Int32($0.rawValue) }) == Set(Core.allCases.map(\.rawValue)).union([0]))
    }

    @Test("every enum of a payload has the numbers and names of FocusCore, and no value more")
    func payloads() {
        expectAgreement(DeclaredIntent.self, Focus_Events_V1_AppRegistered.Intent.self)
        expectAgreement(AppCapability.self, Focus_Events_V1_AppRegistered.Capability.self)
        expectAgreement(AuthorizationKind.self, Focus_Events_V1_AuthorizationChanged.Kind.self)
        expectAgreement(AuthorizationStatus.self, Focus_Events_V1_AuthorizationChanged.Status.self)
        expectAgreement(InterruptionLevel.self, Focus_Events_V1_NotificationPosted.Level.self)
        expectAgreement(InteractionDirection.self, Focus_Events_V1_InteractionDonated.Direction.self)
        expectAgreement(CallKind.self, Focus_Events_V1_InteractionDonated.StartCall.Kind.self)
        expectAgreement(SwitchChoice.self, Focus_Events_V1_NotificationSettingsChanged.Switch.self)
        expectAgreement(PreviewsChoice.self, Focus_Events_V1_Previews.self)
    }

    @Test("every enum of a row has the numbers and names of FocusCore, and no value more")
    func rows() {
        expectAgreement(DeclaredIntent.self, Focus_Sync_V1_AppRow.Intent.self)
        expectAgreement(AppCapability.self, Focus_Sync_V1_AppRow.Capability.self)
        expectAgreement(AuthorizationKind.self, Focus_Sync_V1_AuthorizationRow.Kind.self)
        expectAgreement(AuthorizationStatus.self, Focus_Sync_V1_AuthorizationRow.Status.self)
        expectAgreement(InterruptionLevel.self, Focus_Sync_V1_NotificationRow.Level.self)
        expectAgreement(NotificationPreviews.self, Focus_Sync_V1_NotificationSettingsRow.Previews.self)
        expectAgreement(Alert.self, Focus_Sync_V1_AlertRow.Alert.self)
        expectAgreement(AlertReason.self, Focus_Sync_V1_AlertRow.Reason.self)
        expectAgreement(RoutePeriod.self, Focus_Sync_V1_RouteTotalRow.Period.self)
    }

    @Test("device classes have the same numbers in sync messages and events, and the names of FocusCore")
    func deviceClasses() throws {
        for value in DeviceClass.allCases { #expect(try DeviceClass(value.message) == value) }
        for value in DeviceClass.allCases {
            #expect(value.message.rawValue == Int(value.number))
            let inEvents = Focus_Events_V1_NotificationSettingsChanged.DeviceClass(number: value.number)
            #expect("\(inEvents)" == value.rawValue)
        }
        #expect(Focus_Sync_V1_DeviceClass.allCases.count == DeviceClass.allCases.count + 1)
    }
}
