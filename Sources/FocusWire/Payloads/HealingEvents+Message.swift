import FocusCore

extension Focus_Events_V1_DeviceEventsLost: PayloadMessage {
    init(_ event: DeviceEventsLost) {
        self.init()
        first = event.first.rawValue
        last = event.last.rawValue
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .deviceEventsLost(DeviceEventsLost(first: DeviceSequence(first), last: DeviceSequence(last)))
    }
}
