import Synchronization

/// Collects values from any thread.
public final class Recorder<Value: Sendable>: Sendable {
    private let storage = Mutex<[Value]>([])

    public init() {}

    public var values: [Value] { storage.withLock { $0 } }
    public func add(_ value: Value) { storage.withLock { $0.append(value) } }
}
