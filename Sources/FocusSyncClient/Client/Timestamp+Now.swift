import FocusCore
import Foundation

extension Timestamp {
    /// What the device's clock says.
    public static var now: Timestamp {
        Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded(.down)))
    }
}
