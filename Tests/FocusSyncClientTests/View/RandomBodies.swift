import FocusCore
import Foundation
import SeededNumbers

/// Random events of a device, with few different ids, so that events concern the same things.
struct RandomBodies {
    static let apps = ["com.example.a", "com.example.b"].compactMap(AppID.init)

    private var random: SplitMix64
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// The events that every user of these tests begins with.
    static var setUp: [(EventBody, AppID?)] {
        apps.flatMap { app -> [(EventBody, AppID?)] in
            let registered = AppRegistered(
                name: "App", build: 1, capabilities: [.communication, .timeSensitive],
                focusStatusUsageDescription: "why")
            return [
                (.appRegistered(registered), app),
                (.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app),
                (.authorizationChanged(AuthorizationChanged(kind: .focusStatus, status: .authorized)), app),
            ]
        } + [
            (.focusConfigured(FocusConfigured(focusID: "work", name: "Work")), nil),
            (.focusConfigured(FocusConfigured(focusID: "sleep", name: "Sleep", allowedApps: [apps[0]])), nil),
        ]
    }

    private mutating func id() -> String { "n\(number(0..<6))" }
    private mutating func focus() -> String { ["work", "sleep", "gym"][number(0..<3)] }
    /// A Focus that every user has. Putting on one that is not configured leaves something in the server's memory that
    /// no row shows.
    private mutating func configured() -> String { ["work", "sleep"][number(0..<2)] }
    private mutating func choice() -> SwitchChoice? { [nil, .on, .off, .follow][number(0..<4)] }

    /// A random event whose whole effect the device predicts.
    mutating func simple() -> (EventBody, AppID?) {
        let app = Self.apps[number(0..<2)]
        switch number(0..<10) {
        case 0, 1:
            let title = Bool.random(using: &random) ? "t" : nil
            return (.notificationPosted(NotificationPosted(notificationID: id(), title: title, body: id())), app)
        case 2: return (.notificationRead(NotificationIDs(ids: [id(), id()])), app)
        case 3: return (.notificationRemoved(NotificationIDs(ids: [id()])), app)
        case 4: return (.badgeCleared, app)
        case 5, 6:
            let value = PropertyValue.integer(Int64(number(0..<3)))
            return (.preferenceChanged(PreferenceChanged(key: "k\(number(0..<4))", value: value)), app)
        case 7, 8: return (.focusChanged(FocusChanged(focusID: configured(), isActive: number(0..<3) > 0)), nil)
        default:
            let configured = FocusConfigured(
                focusID: focus(), name: id(), allowedApps: number(0..<2) == 0 ? [app] : [],
                sharesStatus: number(0..<4) > 0)
            return (.focusConfigured(configured), nil)
        }
    }

    /// A random event of any kind that the device predicts in part; the server refuses some.
    mutating func any() -> (EventBody, AppID?) {
        let app = number(0..<20) == 0 ? AppID("com.example.unknown") : Self.apps[number(0..<2)]
        switch number(0..<22) {
        case 20: return (.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: number(0..<2) == 0)), nil)
        case 21: return (.actionHandled(ActionHandled(id: EventID(UUID()))), app)
        case 0: return (.focusRemoved(FocusRemoved(focusID: focus())), nil)
        case 1:
            let statuses: [AuthorizationStatus] = [.authorized, .denied, .provisional]
            let change = AuthorizationChanged(kind: .notifications, status: statuses[number(0..<3)])
            return (.authorizationChanged(change), app)
        case 2:
            let changed = NotificationSettingsChanged(
                deviceClass: [nil, .watch][number(0..<2)], alerts: choice(), badges: choice(),
                scheduledDelivery: choice())
            return (.notificationSettingsChanged(changed), number(0..<3) == 0 ? nil : app)
        case 3: return (.appMuted(AppMuted(until: Timestamp(microseconds: Int64(number(0..<9))))), app)
        case 4: return (.appUnmuted, app)
        case 5:
            let times = Set((0..<number(0..<3)).map { Int32($0 * 60) })
            return (.deliveryScheduleChanged(DeliveryScheduleChanged(times: times, timeZone: "UTC")), nil)
        case 6: return (.preferenceReset(PreferenceReset(key: "k\(number(0..<4))")), app)
        case 7: return (.focusStatusReported(FocusStatusReported(isFocused: [nil, true, false][number(0..<3)])), app)
        case 8:
            let gesture = NotificationActionPerformed.Gesture.doubleTap
            return (.notificationActionPerformed(.init(notificationID: id(), gesture: gesture)), app)
        case 9:
            let (member, other) = (Fixture.user(number(0..<3)), Fixture.user(number(0..<3)))
            return (.audienceChanged(AudienceChanged(add: [member], remove: [other])), app)
        default:
            let (body, _) = simple()
            return (body, EventBody.isOfUser(body) ? nil : app)
        }
    }
}

extension EventBody {
    fileprivate static func isOfUser(_ body: EventBody) -> Bool {
        switch body {
        case .focusConfigured, .focusChanged, .focusRemoved: true
        case _: false
        }
    }
}
