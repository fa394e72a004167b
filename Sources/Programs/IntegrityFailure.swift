import EventStore
import FocusCore
import FocusWire

/// Data is not what it must be (exit code 3).
package struct IntegrityFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }

    /// What an error says of the log or the read model; nil when it says something else.
    package init?(of error: any Error) {
        switch error {
        case let failure as IntegrityFailure: self = failure
        case let error as FoldError: self.init("The events do not fold: \(error)")
        case let error as PayloadError: self.init("An event cannot be read: \(error)")
        case let error as EventStoreError:
            switch error {
            case .unknownEvent, .corrupt, .noGeneration, .gap: self.init(error.description)
            case .noLog, .unknownLog: return nil
            }
        default: return nil
        }
    }
}
