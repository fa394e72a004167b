import Crypto
import FocusCore
import Foundation

/// Users' states of the past as files, so that asking again does not fold everything again.
///
/// The files lie with the program that asks, not in the database: replays write nothing there and need no right to, and
/// a cache can be deleted at any time. There is one directory per log, fold and user, with a file per version. A file
/// that does not decode, has another checksum, or belongs to another history is not used. The files hold what the log
/// holds of people: mode 0600.
///
/// Bounded: at most `perUser` versions of a user, spread evenly over the stream, and `limitBytes` in all, beyond which
/// the files unused for longest are evicted.
public struct StateCache: Sendable {
    /// The least distance between two kept versions, in events: folding so many takes a fraction of a second.
    static let leastSpacing: Int64 = 4_096
    static let perUser: Int64 = 64

    private let directory: URL
    private let limitBytes: Int
    private let leastSpacing: Int64

    /// - Parameters:
    ///   - directory: made when it is not there.
    ///   - log: the log that the states are folded from.
    public init(directory: String, log: LogID, limitBytes: Int = 1 << 30, leastSpacing: Int64 = 4_096) {
        self.directory = URL(filePath: directory).appending(path: "\(log)/fold-\(FocusCore.foldVersion)")
        self.limitBytes = limitBytes
        self.leastSpacing = max(1, leastSpacing)
    }

    /// The distance between kept versions of a stream that ends at `head`: multiples of it are kept.
    func spacing(head: Version) -> Int64 {
        var spacing = leastSpacing
        while head.rawValue / spacing > Self.perUser { spacing *= 2 }
        return spacing
    }

    /// Kept versions of the user up to `version`, greatest first.
    func versions(of user: UserID, upTo version: Version) -> [Version] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(user).path)) ?? []
        return names.compactMap { Int64($0).map { Version($0) } }.filter { $0 <= version && $0 > .zero }.sorted(by: >)
    }

    /// The kept state; nil when there is none. A damaged file is removed and gives nil.
    func state(of user: UserID, at version: Version) -> UserState? {
        let file = file(user, version)
        guard let data = try? Data(contentsOf: file), data.count > SHA256.byteCount else { return nil }
        let bytes = [UInt8](data.dropFirst(SHA256.byteCount))
        if Data(SHA256.hash(data: bytes)) == data.prefix(SHA256.byteCount),
            let state = try? UserState(user: user, snapshot: bytes), state.version == version
        {
            // The date is the time of use, by which `trim` evicts. If setting it fails, the file is evicted earlier.
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            return state
        }
        remove(user, version)
        return nil
    }

    /// Throws when the file cannot be written; states are then found all the same, but slowly.
    func store(_ state: borrowing UserState) throws {
        let folder = folder(state.user)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let bytes = state.snapshot
        let temporary = folder.appending(path: ".\(state.version).\(getpid()).tmp")
        try (Data(SHA256.hash(data: bytes)) + Data(bytes)).write(to: temporary)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: temporary.path)
        guard rename(temporary.path, file(state.user, state.version).path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func remove(_ user: UserID, _ version: Version) {
        try? FileManager.default.removeItem(at: file(user, version))
    }

    /// Evicts versions that stand too close since the user's stream has grown. While the whole cache exceeds
    /// `limitBytes`, evicts the files unused for longest.
    func trim(_ user: UserID, head: Version) {
        let spacing = spacing(head: head)
        for version in versions(of: user, upTo: head) where version.rawValue % spacing != 0 { remove(user, version) }
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
        let found = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: Array(keys))
        var files: [(url: URL, size: Int, used: Date)] = []
        while let url = found?.nextObject() as? URL {
            guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            files.append((url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast))
        }
        var total = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { $0.used < $1.used }) where total > limitBytes {
            try? FileManager.default.removeItem(at: file.url)
            total -= file.size
        }
    }

    private func folder(_ user: UserID) -> URL { directory.appending(path: user.description) }
    private func file(_ user: UserID, _ version: Version) -> URL { folder(user).appending(path: version.description) }
}
