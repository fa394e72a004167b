import FocusCore
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads GPX 1.0 and 1.1 (rule R8) as a stream: memory grows with the points, not with the file.
///
/// Taken from a track point are its place, time and elevation; it counts as accurate. Way points and planned routes are
/// no recordings and are passed over, as are extensions. Entities are not followed: GPX has none of its own, outer ones
/// would read other files, and the parser stops inner ones that grow out of proportion.
public enum GPXReader {
    public static func read(contentsOfFile path: String) throws(GPXError) -> GPXFile {
        guard FileManager.default.isReadableFile(atPath: path), let stream = InputStream(fileAtPath: path) else {
            throw .unreadable(path: path)
        }
        return try read(XMLParser(stream: stream))
    }

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
