import FocusCore
import Foundation

extension UserID { public static func random() -> Self { Self(UUID()) } }
extension DeviceID { public static func random() -> Self { Self(UUID()) } }
extension EventID { public static func random() -> Self { Self(UUID()) } }
