import FocusCore

extension Focus_Events_V1_Stamp {
    init(_ stamp: Stamp) {
        self.init()
        timeUs = stamp.time.microseconds
        device = stamp.device.description
        sequence = stamp.sequence.rawValue
    }

    /// `field` is the name of the field that holds it, for the device's developer.
    func stamp(field: String) throws(PayloadError) -> Stamp {
        guard let id = DeviceID(text: device) else { throw .malformed("\(field).device is no UUID.") }
        return Stamp(time: Timestamp(microseconds: timeUs), device: id, sequence: DeviceSequence(sequence))
    }
}
