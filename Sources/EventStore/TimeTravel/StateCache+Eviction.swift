import FocusCore
import Foundation

extension StateCache {
    private struct CachedFile {
        var url: URL
        var size: Int
        var used: Date
    }

    /// While the files of all logs and folds exceed `limitBytes`, removes those unused for longest. What others have
    /// put into the directory is neither counted nor removed.
    func evict() {
        let files = folds.flatMap(files)
        var total = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { $0.used < $1.used }) where total > limitBytes {
            try? FileManager.default.removeItem(at: file.url)
            total -= file.size
        }
    }

    /// The directories of states, of this fold and of others, of this log and of others.
    private var folds: [URL] {
        Self.entries(of: root).filter { UUID(uuidString: $0.lastPathComponent) != nil }.flatMap(Self.entries)
            .filter { $0.lastPathComponent.hasPrefix(Self.foldPrefix) }
    }

    private static func entries(of directory: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
    }

    private func files(below directory: URL) -> [CachedFile] {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
        let found = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: Array(keys))
        var files: [CachedFile] = []
        while let url = found?.nextObject() as? URL {
            guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            files.append(
                CachedFile(
                    url: url, size: values.fileSize ?? 0, used: values.contentModificationDate ?? .distantPast))
        }
        return files
    }
}
