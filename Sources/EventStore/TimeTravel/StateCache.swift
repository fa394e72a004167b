import Crypto
import FocusCore
import Foundation

extension Timestamp {
    /// The bytes of a time in a file: microseconds, the lowest byte first.
    fileprivate static let keptBytes = 8
    fileprivate var kept: [UInt8] { withUnsafeBytes(of: microseconds.littleEndian, Array.init) }

    /// Reads the time that is the `index`th in the file; nil when the file ends before.
    fileprivate init?(keptIn bytes: [UInt8], _ index: Int) {
        guard bytes.count >= (index + 1) * Self.keptBytes else { return nil }
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * Self.keptBytes, as: Int64.self) }
        self.init(microseconds: Int64(littleEndian: value))
    }
}

/// Users' states of the past as files, so that asking again does not fold everything again.
///
/// The files lie with the program that asks, not in the database: replays write nothing there and need no right to, and
/// a cache can be deleted at any time. There is one directory per log, fold and user, with a file per version, and one
/// with the rows that changed since the version before. A file that does not decode, has another checksum, or belongs
/// to another history is not used. The files hold what the log holds of people: mode 0600.
///
/// Bounded: at most `perUser` versions of a user, spread evenly over the stream, and `limitBytes` for all logs and
/// folds in the directory, beyond which the files unused for longest are evicted.
public struct StateCache: Sendable {
    /// The least distance between two kept versions, in events: folding so many takes a fraction of a second.
    static let leastSpacing: Int64 = 4_096
    static let perUser: Int64 = 64

    /// Where the states of all logs are.
    let root: URL
    let limitBytes: Int
    private let directory: URL
    private let leastSpacing: Int64

    /// - Parameters:
    ///   - directory: made when it is not there.
    ///   - log: the log that the states are folded from.
    public init(directory: String, log: LogID, limitBytes: Int = 1 << 30, leastSpacing: Int64 = 4_096) {
        root = URL(filePath: directory)
        self.directory = root.appending(path: "\(log)/\(Self.foldPrefix)\(FocusCore.foldVersion)")
        self.limitBytes = limitBytes
        self.leastSpacing = max(1, leastSpacing)
    }

    /// The distance between kept versions of a stream that ends at `head`: multiples of it are kept.
    func spacing(head: Version) -> Int64 {
        var spacing = leastSpacing
        while head.rawValue / spacing > Self.perUser { spacing *= 2 }
        return spacing
    }

    static let foldPrefix = "marked-fold-"
    private static let changesSuffix = ".changes"

    /// Whether one who folds on to `last` keeps the state at `version`: near `last` at each multiple of the spacing, and
    /// before that at every other one, as keeping a state takes as long as folding some thousand events. Who asks there
    /// keeps what is between them.
    static func keeps(_ version: Version, onTheWayTo last: Version, spacing: Int64) -> Bool {
        guard version.rawValue % spacing == 0 else { return false }
        return version.rawValue % (2 * spacing) == 0 || last.rawValue - version.rawValue < 2 * spacing
    }

    /// Kept versions of the user up to `version`, greatest first.
    func versions(of user: UserID, upTo version: Version) -> [Version] {
        names(of: user).compactMap { Int64($0).map { Version($0) } }
            .filter { $0 <= version && $0 > .zero }.sorted(by: >)
    }

    private func names(of user: UserID) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder(user).path)) ?? []
    }

    /// The kept state; nil when there is none. A damaged file is removed and gives nil.
    func state(of user: UserID, at version: Version) -> KeptState? {
        read(stateFile(user, version)) { bytes in
            guard let recordedAt = Timestamp(keptIn: bytes, 0),
                let state = try? UserState(user: user, snapshot: Array(bytes.dropFirst(Timestamp.keptBytes)))
            else { return nil }
            return state.version == version ? KeptState(state, recordedAt: recordedAt) : nil
        }
    }

    /// Which rows changed up to a kept version, since the one that was kept before; nil when it is not known. A damaged
    /// file is removed and gives nil.
    /// - Parameter withRows: whether the rows themselves are read.
    func changes(of user: UserID, upTo version: Version, withRows: Bool) -> KeptChanges? {
        read(changesFile(user, version)) { bytes in
            guard let start = Timestamp(keptIn: bytes, 0), let end = Timestamp(keptIn: bytes, 1),
                let changes = try? RowChanges(
                    decoding: Array(bytes.dropFirst(2 * Timestamp.keptBytes)), withRows: withRows),
                changes.end == version, changes.start < version
            else { return nil }
            return KeptChanges(
                changes: changes, start: KeptMark(event: changes.startEvent, recordedAt: start),
                end: KeptMark(event: changes.endEvent, recordedAt: end))
        }
    }

    /// Keeps the state, and the changes that it has recorded. Throws when a file cannot be written; states are then
    /// found all the same, but slowly.
    func store(_ kept: KeptState) throws {
        let state = kept.state
        try FileManager.default.createDirectory(
            at: folder(state.user), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if let changes = state.changes {
            let times = kept.start.recordedAt.kept + kept.recordedAt.kept
            try write(times + changes.encoded, to: changesFile(state.user, state.version))
        }
        try write(kept.recordedAt.kept + state.unsortedSnapshot, to: stateFile(state.user, state.version))
    }

    func remove(_ user: UserID, _ version: Version) {
        for file in [stateFile(user, version), changesFile(user, version)] {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// What a file holds behind its checksum; nil when it is not there, or damaged.
    private func read<Content>(_ file: URL, _ decode: ([UInt8]) -> Content?) -> Content? {
        guard let data = try? Data(contentsOf: file), data.count > SHA256.byteCount else { return nil }
        let bytes = [UInt8](data.dropFirst(SHA256.byteCount))
        if Data(SHA256.hash(data: bytes)) == data.prefix(SHA256.byteCount), let content = decode(bytes) {
            // The date is the time of use, by which `trim` evicts. If setting it fails, the file is evicted earlier.
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            return content
        }
        try? FileManager.default.removeItem(at: file)
        return nil
    }

    private func write(_ bytes: [UInt8], to file: URL) throws {
        let temporary = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(getpid()).tmp")
        guard FileManager.default.createFile(
            atPath: temporary.path, contents: Data(SHA256.hash(data: bytes)), attributes: [.posixPermissions: 0o600])
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = try FileHandle(forWritingTo: temporary)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: bytes)
        guard rename(temporary.path, file.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Evicts versions that stand too close since the user's stream has grown, and what exceeds the bound.
    func trim(_ user: UserID, head: Version) {
        let spacing = spacing(head: head)
        for name in names(of: user) {
            // A file of changes is named for the version at which they end, so it goes with that version's state.
            let number = name.hasSuffix(Self.changesSuffix) ? String(name.dropLast(Self.changesSuffix.count)) : name
            if let version = Int64(number), version > 0, version % spacing != 0 { remove(user, Version(version)) }
        }
        evict()
    }

    private func folder(_ user: UserID) -> URL { directory.appending(path: user.description) }
    private func stateFile(_ user: UserID, _ version: Version) -> URL {
        folder(user).appending(path: version.description)
    }
    private func changesFile(_ user: UserID, _ version: Version) -> URL {
        folder(user).appending(path: "\(version)\(Self.changesSuffix)")
    }
}
