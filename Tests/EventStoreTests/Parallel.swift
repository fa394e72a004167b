import PostgresClient
import Synchronization

/// Runs `body` on `count` threads at once; returns what each returned, or throws the first error.
func inParallel<T: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> T) throws -> [T] {
    let results = Results<T>()
    let threads = try (0..<count).map { index in
        try PostgresThread(name: "test \(index)") { results.put(index, Result { try body(index) }) }
    }
    for thread in threads { thread.join() }
    return try results.all().sorted { $0.key < $1.key }.map { try $0.value.get() }
}

private final class Results<T: Sendable>: Sendable {
    private let values = Mutex<[Int: Result<T, any Error>]>([:])

    func put(_ index: Int, _ value: Result<T, any Error>) { values.withLock { $0[index] = value } }
    func all() -> [Int: Result<T, any Error>] { values.withLock { $0 } }
}
