import Synchronization

/// Collects values from any thread.
final class Recorder<Value: Sendable>: Sendable {
    private let storage = Mutex<[Value]>([])

    var values: [Value] { storage.withLock { $0 } }
    func add(_ value: Value) { storage.withLock { $0.append(value) } }
}
