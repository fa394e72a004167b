import NIOConcurrencyHelpers
import NIOCore

/// One value for each event loop, made when it is first asked for.
final class LoopLocal<Value>: Sendable {
    private let values: NIOLockedValueBox<[ObjectIdentifier: NIOLoopBound<Value>]> = NIOLockedValueBox([:])
    private let make: @Sendable (any EventLoop) -> Value

    /// - Parameter make: called on the event loop that the value is for.
    init(make: @escaping @Sendable (any EventLoop) -> Value) { self.make = make }

    /// The event loop's value. Called on that event loop.
    func value(on eventLoop: any EventLoop) -> Value {
        values.withLockedValue { values in
            if let value = values[ObjectIdentifier(eventLoop)] { return value }
            let value = NIOLoopBound(make(eventLoop), eventLoop: eventLoop)
            values[ObjectIdentifier(eventLoop)] = value
            return value
        }.value
    }
}
