import FocusCore

extension Cursor {
    init(_ message: Focus_Sync_V1_Cursor) throws(FrameError) {
        self.init(
            log: try LogID(wire: message.log, field: "cursor.log"), version: Version(message.version),
            event: try EventID(wire: message.event, field: "cursor.event"), view: message.view)
    }

    var message: Focus_Sync_V1_Cursor {
        var message = Focus_Sync_V1_Cursor()
        message.log = log.wire
        message.version = version.rawValue
        message.event = event.wire
        message.view = view
        return message
    }
}
