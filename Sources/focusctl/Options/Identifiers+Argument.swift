import ArgumentParser
import FocusCore

extension UserID: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension DeviceID: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument) }
}

extension AppID: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceClass: @retroactive ExpressibleByArgument {}
extension RowCollection: @retroactive ExpressibleByArgument {}
extension EventType: @retroactive ExpressibleByArgument {}
