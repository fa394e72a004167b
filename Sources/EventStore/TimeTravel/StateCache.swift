import Crypto
import FocusCore
import Foundation

/// Users' states of the past as files, so that asking again does not fold everything again.
///
/// Beside whoever asks, not in the database: replays write nothing there and need no right to, and a cache can be
/// deleted at any time. One directory per log, fold and user; a file per version; what does not decode, has another
/// checksum, or belongs to another history is not used. They hold what the log holds of people: mode 0600.
///
/// Bounded: at most `perUser` versions of a user, spread evenly over the stream, and `limitBytes` in all, of which those
/// unused for longest leave.
public struct StateCache: Sendable {
    /// Between two kept versions, at least. Folding so many takes a fraction of a second.
    static let leastSpacing: Int64 = 4_096
    static let perUser: Int64 = 64

    private let directory: URL
    private let limitBytes: Int
    private let leastSpacing: Int64

    /// - Parameters:
    ///   - directory: made when it is not there.
    ///   - log: whose history it is.
    public init(directory: String, log: LogID, limitBytes: Int = 1 << 30, leastSpacing: Int64 = 4_096) {
        self.directory = URL(filePath: directory).appending(path: "\(log)/fold-\(FocusCore.foldVersion)")
        self.limitBytes = limitBytes
        self.leastSpacing = max(1, leastSpacing)
    }

    /// Versions that are multiples of it are kept, of a stream that ends at `head`.
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

    /// Nil, and gone, when the file is damaged.
    func state(of user: UserID, at version: Version) -> UserState? {
        let file = file(user, version)
        guard let data = try? Data(contentsOf: file), data.count > SHA256.byteCount else { return nil }
        let bytes = [UInt8](data.dropFirst(SHA256.byteCount))
        if Data(SHA256.hash(data: bytes)) == data.prefix(SHA256.byteCount),
            let state = try? UserState(user: user, snapshot: bytes), state.version == version
        {
            // The time of use: what is not used leaves first. If that fails it leaves earlier.
            try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            return state
        }
        remove(user, version)
        return nil
    }

    /// Throws when the files cannot be written: then everything works as before, but slowly.
    func keep(_ state: borrowing UserState) throws {
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

    /// Removes what stands too close since the user's stream has grown, and what has been unused for longest while the
    /// whole takes too much.
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
