import FocusCore

/// The rows of a collection as they are, then as they change: the first batch has all of them (perhaps none), the
/// others what looks different since the one before. Ends when the client is closed, or the task cancelled.
///
/// A slow reader misses values in between, never the last one: at most one value per row waits for it. For one reader;
/// ask for another sequence for another.
public struct RowChanges: AsyncSequence, Sendable {
    public typealias Failure = Never

    public struct Element: Hashable, Sendable {
        /// Each row once, ordered by key.
        public var rows: [LocalRow]
        /// Whether these are all rows there are, rather than changes.
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
