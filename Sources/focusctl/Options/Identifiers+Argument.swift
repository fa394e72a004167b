import ArgumentParser
import FocusCore

extension UserID: ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension DeviceID: ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension AppID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceClass: ExpressibleByArgument {}
extension RowCollection: ExpressibleByArgument {}
extension EventType: ExpressibleByArgument {}
