import FocusCore

extension Focus_Events_V1_DeviceRevoked: PayloadMessage {
    init(_ event: DeviceRevoked) {
        self.init()
        device = event.device.description
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard let revoked = DeviceID(text: device) else { throw .malformed("device is no UUID.") }
        return .deviceRevoked(DeviceRevoked(device: revoked))
    }
}
