import FocusCore
import FocusWire
import SeededNumbers

/// The events of one device: first what its user's apps need, then, over and over, a cycle of twenty that condenses a
/// person's day. All are accepted by a server that has nothing else of the user.
///
/// | of 20 | event |
/// | --- | --- |
/// | 10 | `notification.posted`: title, body of about 60 bytes, thread; 8 active, 1 passive, 1 time sensitive |
/// | 5 | `notification.read`: one of the last ten |
/// | 2 | `notification.removed`: five each, so that about forty stay in the list however long it goes on |
/// | 1 | `focus.changed`: on and off in turn |
/// | 1 | `route.locationsInserted`: the next 10 points, a second apart |
/// | 1 | in turn `focus.configured`, `authorization.changed`, `audience.changed` |
struct EventMix {
    private enum Kind { case post, read, remove, focus, locations, register }

    /// The order spreads events of one kind evenly.
    private static let cycle: [Kind] = [
        .post, .read, .post, .post, .remove, .post, .read, .focus, .post, .read,
        .post, .locations, .post, .read, .post, .remove, .post, .read, .post, .register,
    ]
    /// About how many notifications stay in the list.
    private static let listed = 40
    /// Every tenth post is passive, and another tenth time sensitive.
    private static let levelCycle = 10

    static let app = app("com.example.messages")
    private let device: Int
    private let deviceID: DeviceID
    private var generator: SplitMix64
    private var sequence: Int64 = 0
    private var step = 0
    private var posted = 0
    private var removed = 0
    private var changes = 0
    private var track: LoadTrack
    /// µs since 1970; each event is a millisecond after the last.
    private var now: Int64

    /// - Parameter start: when the device's first event happens, µs since 1970.
    init(_ plan: LoadPlan, device: Int, start: Int64) {
        self.device = device
        deviceID = plan.device(device)
        generator = plan.generator(of: device)
        now = start
        track = LoadTrack(start: start, generator: &generator)
    }

    /// The events that the mix needs first, in one frame.
    mutating func setup() -> LoadFrame {
        var bodies: [(AppID?, EventBody)] = [
            (
                Self.app,
                .appRegistered(
                    AppRegistered(
                        name: "Messages", build: 1, capabilities: [.pushNotifications, .communication, .timeSensitive],
                        focusStatusUsageDescription: "So that friends know when to write."))
            )
        ]
        for kind in AuthorizationKind.allCases {
            bodies.append((Self.app, .authorizationChanged(AuthorizationChanged(kind: kind, status: .authorized))))
        }
        bodies.append((nil, .focusConfigured(configuredFocus())))
        bodies.append(
            (Self.app, .routeStarted(RouteStarted(routeID: routeID, activity: "running", utcOffsetSeconds: 7_200))))
        return frame(bodies.map { envelope(app: $0.0, $0.1) })
    }

    /// The next events of the cycle.
    mutating func frame(count: Int) -> LoadFrame {
        var envelopes: [Envelope] = []
        envelopes.reserveCapacity(count)
        for _ in 0..<count {
            let kind = Self.cycle[step % Self.cycle.count]
            step += 1
            envelopes.append(next(kind))
        }
        return frame(envelopes)
    }

    private mutating func frame(_ envelopes: [Envelope]) -> LoadFrame {
        let first = DeviceSequence(sequence + 1)
        sequence += Int64(envelopes.count)
        let request = AppendRequest(firstSequence: first, envelopes: envelopes)
        return LoadFrame(
            bytes: FrameCodec.frame(.append(request)), through: DeviceSequence(sequence), count: envelopes.count)
    }

    private mutating func next(_ kind: Kind) -> Envelope {
        switch kind {
        case .post:
            posted += 1
            return envelope(app: Self.app, .notificationPosted(post()))
        case .read:
            let id = max(1, posted - Int(generator.next() % 10))
            return envelope(app: Self.app, .notificationRead(NotificationIDs(ids: [notificationID(id)])))
        case .remove:
            let range = removed + 1...removed + 5
            // At first there is less to remove. Naming removed notifications is accepted all the same (rule N7).
            if posted > Self.listed { removed = range.upperBound }
            return envelope(
                app: Self.app, .notificationRemoved(NotificationIDs(ids: range.map { notificationID($0) })))
        case .focus:
            changes += 1
            return envelope(
                app: nil, .focusChanged(FocusChanged(focusID: focusID, isActive: changes.isMultiple(of: 2))))
        case .locations:
            return envelope(
                app: Self.app,
                .routeLocationsInserted(
                    RouteLocationsInserted(routeID: routeID, points: track.next(10, &generator))))
        case .register: return register()
        }
    }

    private mutating func register() -> Envelope {
        switch step / Self.cycle.count % 3 {
        case 0: envelope(app: nil, .focusConfigured(configuredFocus()))
        case 1:
            envelope(
                app: Self.app,
                .authorizationChanged(
                    AuthorizationChanged(
                        kind: .marketing, status: generator.next().isMultiple(of: 2) ? .authorized : .denied)))
        default:
            envelope(
                app: Self.app,
                .audienceChanged(AudienceChanged(add: [UserID(.init(version: 4, 0, generator.next() % 50))])))
        }
    }

    private mutating func post() -> NotificationPosted {
        let text = generator.next()
        let level: InterruptionLevel =
            switch posted % Self.levelCycle {
            case 0: .timeSensitive
            case 5: .passive
            default: .active
            }
        return NotificationPosted(
            notificationID: notificationID(posted), thread: "thread-\(text % 8)",
            title: LoadTexts.names[Int(text >> 8 % UInt64(LoadTexts.names.count))],
            body: LoadTexts.bodies[Int(text >> 16 % UInt64(LoadTexts.bodies.count))], level: level,
            relevance: Double(text >> 32 % 101) / 100)
    }

    private mutating func configuredFocus() -> FocusConfigured {
        FocusConfigured(
            focusID: focusID, name: "Work", symbol: "briefcase", allowedPeople: ["+49 30 \(generator.next() % 1_000)"],
            allowsTimeSensitive: generator.next().isMultiple(of: 2))
    }

    private mutating func envelope(app: AppID?, _ body: EventBody) -> Envelope {
        now += 1_000
        // UUIDv7 (RFC 9562 §5.7): milliseconds, then pseudo-random bits.
        let id = UInt64(bitPattern: now / 1_000) << 16 | generator.next() & 0xFFFF
        return Envelope(
            id: EventID(.init(version: 7, id, generator.next())), type: body.type.rawValue, app: app?.rawValue,
            occurredAt: Timestamp(microseconds: now), schemaVersion: FocusWire.payloadSchemaVersion,
            payload: PayloadCodec.encode(body))
    }

    private var routeID: String { "run-\(device)" }
    private var focusID: String { "work" }
    private func notificationID(_ number: Int) -> String { "\(device)-\(number)" }

    private static func app(_ name: String) -> AppID {
        guard let app = AppID(name) else { preconditionFailure("\(name) is no bundle identifier") }
        return app
    }
}

/// A frame ready to be sent.
struct LoadFrame {
    /// The frame's bytes, with its length in front.
    var bytes: [UInt8]
    /// The sequence of its last event.
    var through: DeviceSequence
    /// The number of events in the frame.
    var count: Int
}
