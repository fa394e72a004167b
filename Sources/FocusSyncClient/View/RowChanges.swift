import FocusCore

/// The rows of a collection as they are, then as they change: the first batch has all of them (perhaps none), each
/// later one the rows that look different since the one before. It ends when the client is closed, or the task is
/// cancelled.
///
/// A slow reader misses values in between, never the last one: at most one value per row waits for it. A sequence is
/// for one reader; each further reader asks for its own.
public struct RowChanges: AsyncSequence, Sendable {
    public typealias Failure = Never

    public struct Element: Hashable, Sendable {
        /// Each row once, ordered by key.
        public var rows: [LocalRow]
        /// Whether these are all rows, rather than changes.
        public var isInitial: Bool

        public init(rows: [LocalRow], isInitial: Bool) {
            self.rows = rows
            self.isInitial = isInitial
        }
    }

    let observer: RowObserver

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: RowObserver
        public mutating func next() async -> Element? { await observer.next() }
    }
}
