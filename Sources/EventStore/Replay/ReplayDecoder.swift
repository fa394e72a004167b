import FocusCore
import PostgresClient

/// Turns tuples of `copy_events` into events.
struct ReplayDecoder {
    private var names = EventNames()

    /// Calls `body` for each event of the chunk, in order.
    mutating func decode(
        _ tuples: [UInt8], _ partition: Partition, _ body: (LoggedEvent) throws -> Void
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
    }
}
