import FocusCore
import FocusWire

/// What a server's frame means to the load generator.
enum LoadNews {
    case welcome(lastSequence: DeviceSequence)
    case appended(Appended)
    /// Rows of a delta or snapshot; only their number matters.
    case rows(Int)
    /// The server has sent everything up to this version.
    case reached(Version, rows: Int)
    case ping(UInt64)
    /// A message that means nothing for the load.
    case other
    /// An error, or GoAway.
    case failed(String)

    /// - Parameter message: the frame without its length. Rows, which are nearly all of the traffic, are counted
    ///   without being decoded.
    init(_ message: UnsafeRawBufferPointer) throws {
        if let counted = CountedRows(message) {
            self = counted.reached.map { .reached($0, rows: counted.count) } ?? .rows(counted.count)
            return
        }
        switch try FrameCodec.decodeServer(Array(message)) {
        case .welcome(let welcome): self = .welcome(lastSequence: welcome.lastSequence)
        case .appended(let appended): self = .appended(appended)
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .checkpoint(let cursor, _):
            self = .reached(cursor.version, rows: 0)
        case .delta(_, let rows, let cursor): self = .reached(cursor.version, rows: rows.count)
        case .snapshotRows(let rows), .deltaRows(let rows): self = .rows(rows.count)
        case .ping(let nonce): self = .ping(nonce)
        case .recalled, .snapshotBegin, .deltaBegin, .pong, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            self = .other
        case .error(let error): self = .failed("\(error.code.rawValue): \(error.message)")
        case .goAway(let goAway): self = .failed("the server said \(goAway.code.rawValue)")
        }
    }
}
