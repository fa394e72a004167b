/// `device.eventsLost` (rule S6): the log had acknowledged these events of a device, lost them, and the device does not
/// hold them any more either. It takes all their sequences, so that the device's later events find their places.
public struct DeviceEventsLost: Hashable, Sendable {
    /// The first and the last lost sequence, both inclusive; `last` is the sequence of the event itself.
    public var first: DeviceSequence
    public var last: DeviceSequence

    public init(first: DeviceSequence, last: DeviceSequence) {
        self.first = first
        self.last = last
    }
}
