import Dispatch
import FocusCore
import Foundation

extension Timestamp {
    /// What the device's clock says.
    public static var now: Timestamp {
        Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded(.down)))
    }
}

extension MonotonicTime {
    static var now: MonotonicTime {
        MonotonicTime(milliseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000))
    }
}
