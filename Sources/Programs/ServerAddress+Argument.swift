import ArgumentParser
import FocusSyncClient

extension ServerAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
    public var defaultValueDescription: String { description }
}
