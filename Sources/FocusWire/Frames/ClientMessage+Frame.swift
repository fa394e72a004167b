import FocusCore

import struct Foundation.Data

extension ClientMessage {
    init(_ frame: Focus_Sync_V1_ClientFrame) throws(FrameError) {
        switch frame.message {
        case .hello(let message): self = .hello(try Hello(message))
        case .append(let message): self = .append(try AppendRequest(message))
        case .ack(let message): self = .ack(Version(message.version))
        case .resync(let message): self = .resync(RowCollection.named(message.collections))
        case .ping(let message): self = .ping(message.nonce)
        case .pong(let message): self = .pong(message.nonce)
        case .bye: self = .bye
        case .renew(let message): self = .renew(token: message.token)
        case .active(let message): self = try Self.active(message)
        case .fetch(let message): self = .fetch(try FetchRequest(message))
        case .watch(let message): self = .watch(try PeerFrames.users(message.users, field: "watch.users"))
        case .unwatch(let message): self = .unwatch(try PeerFrames.users(message.users, field: "unwatch.users"))
        case .reoffer(let message): self = .heal(.reoffer(try Reoffer(message)))
        case .lost(let message): self = .heal(.lost(LostEvents(message)))
        case .recall(let message): self = .recall(try Recall(message))
        case nil: self = .unknown
        }
    }

    private static func active(_ message: Focus_Sync_V1_Active) throws(FrameError) -> ClientMessage {
        guard message.hasApp else { return .active(message.active, app: nil) }
        guard let app = AppID(message.app) else { throw .malformed("active.app is no bundle identifier.") }
        return .active(message.active, app: app)
    }
}

extension Focus_Sync_V1_ClientFrame {
    init(_ message: ClientMessage) {
        self.init()
        switch message {
        case .hello(let value): hello = value.message
        case .append(let request):
            append.firstSequence = request.firstSequence.rawValue
            append.envelopes = request.envelopes.map(\.message)
        case .heal(.reoffer(let offer)): reoffer = offer.message
        case .heal(.lost(let events)): lost = events.message
        case .recall(let value): recall = value.message
        case .ack(let version): ack.version = version.rawValue
        case .resync(let collections): resync.collections = collections.map(\.rawValue)
        case .ping(let nonce): ping.nonce = nonce
        case .pong(let nonce): pong.nonce = nonce
        case .bye: bye = Focus_Sync_V1_Bye()
        case .renew(let token): renew.token = token
        case .active(let isActive, let app):
            active = Focus_Sync_V1_Active()
            active.active = isActive
            if let app { active.app = app.rawValue }
        case .fetch(let request): fetch = request.message
        case .watch(let users): watch.users = users.map(\.wire)
        case .unwatch(let users):
            unwatch = Focus_Sync_V1_Unwatch()
            unwatch.users = users.map(\.wire)
        case .unknown: break
        }
    }
}

extension Hello {
    init(_ message: Focus_Sync_V1_Hello) throws(FrameError) {
        self.init(
            minimumProtocol: message.minimumProtocol, maximumProtocol: message.maximumProtocol, token: message.token,
            deviceClass: try DeviceClass(message.deviceClass), incarnation: Incarnation(message.incarnation),
            cursor: message.hasCursor ? try Cursor(message.cursor) : nil,
            collections: RowCollection.named(message.collections))
    }

    var message: Focus_Sync_V1_Hello {
        var message = Focus_Sync_V1_Hello()
        message.minimumProtocol = minimumProtocol
        message.maximumProtocol = maximumProtocol
        message.token = token
        message.deviceClass = deviceClass.message
        message.incarnation = incarnation.rawValue
        if let cursor { message.cursor = cursor.message }
        message.collections = collections.map(\.rawValue)
        return message
    }
}

extension DeviceClass {
    init(_ message: Focus_Sync_V1_DeviceClass) throws(FrameError) {
        switch message {
        case .phone: self = .phone
        case .tablet: self = .tablet
        case .watch: self = .watch
        case .desktop: self = .desktop
        case .unspecified: throw .malformed("hello.device_class is missing.")
        case .UNRECOGNIZED(let number): throw .malformed("hello.device_class has the unknown number \(number).")
        }
    }

    var message: Focus_Sync_V1_DeviceClass {
        switch self {
        case .phone: .phone
        case .tablet: .tablet
        case .watch: .watch
        case .desktop: .desktop
        }
    }
}

extension AppendRequest {
    init(_ message: Focus_Sync_V1_Append) throws(FrameError) {
        var envelopes: [Envelope] = []
        envelopes.reserveCapacity(message.envelopes.count)
        for envelope in message.envelopes { envelopes.append(try Envelope(envelope)) }
        self.init(firstSequence: DeviceSequence(message.firstSequence), envelopes: envelopes)
    }
}

extension Envelope {
    init(_ message: Focus_Sync_V1_Envelope) throws(FrameError) {
        self.init(
            id: try EventID(wire: message.eventID, field: "envelope.event_id"), type: message.type,
            app: message.hasApp ? message.app : nil, occurredAt: Timestamp(microseconds: message.occurredAtUs),
            schemaVersion: message.schemaVersion, payload: Array(message.payload))
    }

    var message: Focus_Sync_V1_Envelope {
        var message = Focus_Sync_V1_Envelope()
        message.eventID = id.wire
        message.type = type
        if let app { message.app = app }
        message.occurredAtUs = occurredAt.microseconds
        message.schemaVersion = schemaVersion
        message.payload = Data(payload)
        return message
    }
}
