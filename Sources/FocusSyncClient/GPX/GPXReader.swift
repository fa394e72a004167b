import FocusCore
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads GPX 1.0 and 1.1 (rule R8) as a stream: memory grows with the points, not with the file.
///
/// It reads the place, time and elevation of each track point, which counts as accurate. It skips way points and
/// planned routes, which are no recordings, and extensions. It does not resolve external entities, which would read
/// other files; GPX defines no entities of its own, and the parser stops internal ones that grow out of proportion.
public enum GPXReader {
    /// Reads a file.
    /// - Throws: `GPXError`; `noPoints` when no track point has a time.
    public static func read(contentsOfFile path: String) throws(GPXError) -> GPXFile {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue,
            FileManager.default.isReadableFile(atPath: path), let stream = InputStream(fileAtPath: path)
        else {
            throw .unreadable(path: path)
        }
        return try read(XMLParser(stream: stream))
    }

    /// Reads the bytes of a file.
    /// - Throws: `GPXError`; `noPoints` when no track point has a time.
    public static func read(_ data: Data) throws(GPXError) -> GPXFile { try read(XMLParser(data: data)) }

    private static func read(_ parser: XMLParser) throws(GPXError) -> GPXFile {
        let contents = GPXContents()
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = contents
        let isComplete = parser.parse()
        if let failure = contents.failure { throw failure }
        guard isComplete, contents.isComplete else { throw .malformed(line: max(1, parser.lineNumber)) }
        let file = contents.file
        guard !file.tracks.isEmpty else { throw .noPoints(withoutTime: file.pointsWithoutTime) }
        return file
    }
}
