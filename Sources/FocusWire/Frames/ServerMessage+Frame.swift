import FocusCore

import struct Foundation.Data

extension ServerMessage {
    init(_ frame: Focus_Sync_V1_ServerFrame) throws(FrameError) {
        switch frame.message {
        case .welcome(let message): self = .welcome(try Welcome(message))
        case .appended(let message): self = .appended(try Appended(message))
        case .recalled(let message): self = .recalled(try Recalled(message))
        case .snapshotBegin(let message):
            self = .snapshotBegin(
                version: Version(message.version), collections: RowCollection.named(message.collections))
        case .snapshotRows(let message): self = .snapshotRows(try DeltaRow.rows(message.rows))
        case .snapshotEnd(let message): self = .snapshotEnd(try Cursor(message.cursor))
        case .deltaBegin(let message): self = .deltaBegin(from: Version(message.from), to: Version(message.to))
        case .deltaRows(let message): self = .deltaRows(try DeltaRow.rows(message.rows))
        case .deltaEnd(let message): self = .deltaEnd(try Cursor(message.cursor))
        case .delta(let message):
            self = .delta(
                from: Version(message.from), rows: try DeltaRow.rows(message.rows), cursor: try Cursor(message.cursor))
        case .checkpoint(let message):
            self = .checkpoint(try Cursor(message.cursor), try CollectionDigest.known(in: message.digests))
        case .ping(let message): self = .ping(message.nonce)
        case .pong(let message): self = .pong(message.nonce)
        case .error(let message): self = .error(ProtocolError(message))
        case .goAway(let message): self = .goAway(GoAway(message))
        case .tokenExpiry(let message):
            self = .tokenExpiry(
                Timestamp(microseconds: message.expiresAtUs), serverTime: Timestamp(microseconds: message.serverTimeUs))
        case .fetched(let message): self = .fetched(try Fetched(message))
        case .peerStatuses(let message): self = .peerStatuses(try PeerStatuses(message))
        case nil: self = .unknown
        }
    }
}

extension Focus_Sync_V1_ServerFrame {
    init(_ message: ServerMessage) {
        self.init()
        switch message {
        case .welcome(let value): welcome = value.message
        case .appended(let value): appended = value.message
        case .recalled(let value): recalled = value.message
        case .snapshotBegin(let version, let collections):
            snapshotBegin.version = version.rawValue
            snapshotBegin.collections = collections.map(\.rawValue)
        case .snapshotRows(let rows): snapshotRows.rows = rows.map(\.message)
        case .snapshotEnd(let cursor): snapshotEnd.cursor = cursor.message
        case .deltaBegin(let from, let to):
            deltaBegin.from = from.rawValue
            deltaBegin.to = to.rawValue
        case .deltaRows(let rows): deltaRows.rows = rows.map(\.message)
        case .deltaEnd(let cursor): deltaEnd.cursor = cursor.message
        case .delta(let from, let rows, let cursor):
            delta.from = from.rawValue
            delta.rows = rows.map(\.message)
            delta.cursor = cursor.message
        case .checkpoint(let cursor, let digests):
            checkpoint.cursor = cursor.message
            checkpoint.digests = digests.map(\.message)
        case .ping(let nonce): ping.nonce = nonce
        case .pong(let nonce): pong.nonce = nonce
        case .error(let value): error = value.frameMessage
        case .goAway(let value):
            goAway.code = value.code.rawValue
            goAway.minBackoffMs = value.minimumBackoffMilliseconds
            goAway.maxBackoffMs = value.maximumBackoffMilliseconds
        case .tokenExpiry(let expiry, let serverTime):
            tokenExpiry.expiresAtUs = expiry.microseconds
            tokenExpiry.serverTimeUs = serverTime.microseconds
        case .fetched(let value): fetched = value.message
        case .peerStatuses(let value): peerStatuses = value.message
        case .unknown: break
        }
    }
}

extension Welcome {
    init(_ message: Focus_Sync_V1_Welcome) throws(FrameError) {
        self.init(
            protocolVersion: message.protocol, session: message.session,
            log: try LogID(wire: message.log, field: "welcome.log"), lastSequence: DeviceSequence(message.lastSequence),
            lastEvent: message.lastEventID.isEmpty
                ? nil : try EventID(wire: message.lastEventID, field: "welcome.last_event_id"),
            isEnded: message.ended, logIsBehind: message.logIsBehind, maximumFrameBytes: message.maximumFrameBytes,
            maximumUnacknowledgedAppends: message.maximumUnacknowledgedAppends,
            heartbeatMilliseconds: message.heartbeatMs, serverTime: Timestamp(microseconds: message.serverTimeUs),
            maximumFetches: message.maximumFetches, quotas: Quotas(message.quotas))
    }

    var message: Focus_Sync_V1_Welcome {
        var message = Focus_Sync_V1_Welcome()
        message.protocol = protocolVersion
        message.session = session
        message.log = log.wire
        message.lastSequence = lastSequence.rawValue
        if let lastEvent { message.lastEventID = lastEvent.wire }
        message.ended = isEnded
        message.logIsBehind = logIsBehind
        message.maximumFrameBytes = maximumFrameBytes
        message.maximumUnacknowledgedAppends = maximumUnacknowledgedAppends
        message.heartbeatMs = heartbeatMilliseconds
        message.serverTimeUs = serverTime.microseconds
        message.maximumFetches = maximumFetches
        // A server that says nothing of them sends the bytes that it always sent.
        if quotas != Quotas() { message.quotas = quotas.message }
        return message
    }
}

extension Quotas {
    init(_ message: Focus_Sync_V1_Quotas) {
        self.init(
            eventsPerDay: message.eventsPerDay, bytesPerDay: message.bytesPerDay,
            fetchesPerMinute: message.fetchesPerMinute, resyncsPerMinute: message.resyncsPerMinute,
            watchedUsersPerMinute: message.watchedUsersPerMinute, sessionsPerMinute: message.sessionsPerMinute)
    }

    var message: Focus_Sync_V1_Quotas {
        var message = Focus_Sync_V1_Quotas()
        message.eventsPerDay = eventsPerDay
        message.bytesPerDay = bytesPerDay
        message.fetchesPerMinute = fetchesPerMinute
        message.resyncsPerMinute = resyncsPerMinute
        message.watchedUsersPerMinute = watchedUsersPerMinute
        message.sessionsPerMinute = sessionsPerMinute
        return message
    }
}

extension Appended {
    init(_ message: Focus_Sync_V1_Appended) throws(FrameError) {
        var refused: [RefusedEvent] = []
        for event in message.refused { refused.append(try RefusedEvent(event)) }
        self.init(
            throughSequence: DeviceSequence(message.throughSequence), version: Version(message.version),
            refused: refused, receipts: message.receipts.map(Receipt.init),
            incarnation: message.hasIncarnation ? Incarnation(message.incarnation) : nil)
    }

    var message: Focus_Sync_V1_Appended {
        var message = Focus_Sync_V1_Appended()
        message.throughSequence = throughSequence.rawValue
        message.version = version.rawValue
        message.refused = refused.map(\.frameMessage)
        message.receipts = receipts.map(\.message)
        if let incarnation { message.incarnation = incarnation.rawValue }
        return message
    }
}

extension RefusedEvent {
    init(_ message: Focus_Sync_V1_RefusedEvent) throws(FrameError) {
        self.init(
            sequence: DeviceSequence(message.sequence),
            event: try EventID(wire: message.eventID, field: "refused.event_id"),
            code: message.code, message: message.message)
    }

    var frameMessage: Focus_Sync_V1_RefusedEvent {
        var frame = Focus_Sync_V1_RefusedEvent()
        frame.sequence = sequence.rawValue
        frame.eventID = event.wire
        frame.code = code
        frame.message = message
        return frame
    }
}

extension CollectionDigest {
    static func known(in messages: [Focus_Sync_V1_CollectionDigest]) throws(FrameError) -> [CollectionDigest] {
        var digests: [CollectionDigest] = []
        for message in messages {
            guard let digest = Digest(bytes: message.digest) else { throw .malformed("digest is not 16 bytes.") }
            guard let collection = RowCollection(rawValue: message.collection) else { continue }
            digests.append(CollectionDigest(collection: collection, count: message.count, digest: digest))
        }
        return digests
    }

    var message: Focus_Sync_V1_CollectionDigest {
        var message = Focus_Sync_V1_CollectionDigest()
        message.collection = collection.rawValue
        message.count = count
        message.digest = Data(digest.bytes)
        return message
    }
}

extension ProtocolError {
    /// A code of a later server is named in the text, and read as `internal` if it is retryable, as `protocol_unsupported`
    /// if not.
    init(_ message: Focus_Sync_V1_Error) {
        let code = ErrorCode(rawValue: message.code)
        self.init(
            code ?? (message.retryable ? .internal : .protocolUnsupported),
            code == nil ? "\(message.code): \(message.message)" : message.message,
            retryAfterMilliseconds: message.retryAfterMs,
            expected: message.hasExpected ? DeviceSequence(message.expected) : nil,
            sequence: message.hasSequence ? DeviceSequence(message.sequence) : nil,
            request: message.hasRequest ? message.request : nil)
    }

    var frameMessage: Focus_Sync_V1_Error {
        var frame = Focus_Sync_V1_Error()
        frame.code = code.rawValue
        frame.message = message
        frame.retryable = code.isRetryable
        frame.retryAfterMs = retryAfterMilliseconds
        if let expected { frame.expected = expected.rawValue }
        if let sequence { frame.sequence = sequence.rawValue }
        if let request { frame.request = request }
        return frame
    }
}

extension GoAway {
    init(_ message: Focus_Sync_V1_GoAway) {
        self.init(
            code: ErrorCode(rawValue: message.code) ?? .internal, minimumBackoffMilliseconds: message.minBackoffMs,
            maximumBackoffMilliseconds: message.maxBackoffMs)
    }
}
