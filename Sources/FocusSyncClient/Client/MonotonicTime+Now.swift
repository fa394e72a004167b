import Dispatch
import FocusCore

extension MonotonicTime {
    static var now: MonotonicTime {
        MonotonicTime(milliseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000))
    }
}
