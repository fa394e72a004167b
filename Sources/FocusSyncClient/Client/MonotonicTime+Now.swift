import FocusCore

extension MonotonicTime {
    /// It goes on while the machine sleeps: a server that was silent meanwhile has been silent.
    static var now: MonotonicTime { MonotonicTime(milliseconds: DeviceTime.uptime.inMicroseconds / 1_000) }
}
