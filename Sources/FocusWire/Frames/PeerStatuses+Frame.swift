import FocusCore

import struct Foundation.Data

enum PeerFrames {
    static func users(_ ids: [Data], field: String) throws(FrameError) -> [UserID] {
        var users: [UserID] = []
        users.reserveCapacity(ids.count)
        for id in ids { users.append(try UserID(wire: id, field: field)) }
        return users
    }
}

extension PeerStatuses {
    init(_ message: Focus_Sync_V1_PeerStatuses) throws(FrameError) {
        var statuses: [PeerStatus] = []
        statuses.reserveCapacity(message.statuses.count)
        for status in message.statuses { statuses.append(try PeerStatus(status)) }
        self.init(
            statuses: statuses, validUntil: Timestamp(microseconds: message.validUntilUs),
            serverTime: Timestamp(microseconds: message.serverTimeUs))
    }

    var message: Focus_Sync_V1_PeerStatuses {
        var message = Focus_Sync_V1_PeerStatuses()
        message.statuses = statuses.map(\.message)
        message.validUntilUs = validUntil.microseconds
        message.serverTimeUs = serverTime.microseconds
        return message
    }
}

extension PeerStatus {
    init(_ message: Focus_Sync_V1_PeerStatus) throws(FrameError) {
        var app: AppID?
        if message.hasApp {
            guard let name = AppID(message.app) else { throw .malformed("peer_status.app is no bundle identifier.") }
            app = name
        }
        self.init(
            user: try UserID(wire: message.user, field: "peer_status.user"), app: app,
            isFocused: message.hasIsFocused ? message.isFocused : nil)
    }

    var message: Focus_Sync_V1_PeerStatus {
        var message = Focus_Sync_V1_PeerStatus()
        message.user = user.wire
        if let app { message.app = app.rawValue }
        if let isFocused { message.isFocused = isFocused }
        return message
    }
}
