import ArgumentParser
import FocusSyncClient
import Foundation

extension ServerAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
    public var defaultValueDescription: String { description }
}

extension ServerAddress {
    private static var environment: String? { ProcessInfo.processInfo.environment["FOCUS_SERVER"] }

    /// The environment's `FOCUS_SERVER`; else where `focusd serve` listens unless told otherwise.
    package static var usual: ServerAddress { environment.flatMap { ServerAddress($0) } ?? .standard }

    /// Throws `ValidationError` when the environment's `FOCUS_SERVER` is no address.
    package static func checkEnvironment() throws {
        if let text = environment, ServerAddress(text) == nil {
            throw ValidationError("FOCUS_SERVER is host:port, for example 127.0.0.1:7464; got “\(text)”.")
        }
    }
}
