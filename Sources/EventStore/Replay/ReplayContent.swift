import FocusCore
import PostgresClient

/// What the threads that read make of the events of a chunk.
protocol ReplayContent: Sendable {
    /// How many bytes of memory it takes, roughly.
    var byteCount: Int { get }
    /// Makes room for so many bytes.
    mutating func reserveCapacity(_ bytes: Int)
    /// Appends the event of a tuple of a binary COPY. Throws when the tuple is no event.
    mutating func append(_ tuple: UnsafeRawBufferPointer, in partition: Partition) throws
    mutating func append(_ event: LoggedEvent)
}

/// Events as the server sent them: they are decoded by the consumer.
struct LoggedContent: ReplayContent {
    /// Tuples of a binary COPY, each after its length (4 bytes, native order).
    private var tuples: [UInt8] = []
    private var events: [LoggedEvent] = []
    private(set) var byteCount = 0

    mutating func reserveCapacity(_ bytes: Int) { tuples.reserveCapacity(bytes) }

    mutating func append(_ tuple: UnsafeRawBufferPointer, in partition: Partition) {
        withUnsafeBytes(of: UInt32(tuple.count)) { tuples.append(contentsOf: $0) }
        tuples.append(contentsOf: tuple)
        byteCount += 4 + tuple.count
    }

    mutating func append(_ event: LoggedEvent) {
        events.append(event)
        byteCount += event.payload.count
    }

    /// Calls `body` for each event, in order.
    func forEach(
        in partition: Partition, _ names: inout EventNames, _ body: (LoggedEvent) throws -> Void
    ) throws {
        try tuples.withUnsafeBytes { bytes in
            var position = 0
            while position < bytes.count {
                let count = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let start = position + 4
                var row = try CopyRow(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                try body(LoggedEvent.read(&row, in: partition, &names))
                position = start + count
            }
        }
        try events.forEach(body)
    }
}

/// Events as the text that is to be written of them, made by the thread that reads them.
struct RenderedContent: ReplayContent {
    /// Where an event's text ends, and what a merge needs of it.
    struct Place: Sendable {
        var recordedAt: Timestamp
        var offset: LogOffset
        var end: Int
    }

    private let render: @Sendable (LoggedEvent, inout [UInt8]) -> Void
    private var names = EventNames()
    private(set) var bytes: [UInt8] = []
    private(set) var places: [Place] = []

    init(_ render: @escaping @Sendable (LoggedEvent, inout [UInt8]) -> Void) { self.render = render }

    var byteCount: Int { bytes.count + places.count * MemoryLayout<Place>.stride }

    mutating func reserveCapacity(_ bytes: Int) { self.bytes.reserveCapacity(bytes) }

    mutating func append(_ tuple: UnsafeRawBufferPointer, in partition: Partition) throws {
        var row = try CopyRow(tuple)
        append(try LoggedEvent.read(&row, in: partition, &names))
    }

    mutating func append(_ event: LoggedEvent) {
        render(event, &bytes)
        places.append(Place(recordedAt: event.recordedAt, offset: event.offset, end: bytes.count))
    }
}
