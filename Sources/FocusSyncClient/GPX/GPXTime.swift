import FocusCore

/// Writes the times of GPX and GeoJSON files (XML Schema's `dateTime`, RFC 3339).
enum GPXTime {
    /// `2010-10-03T09:36:30Z`, with as many decimals of a second as the time needs: at most six, without trailing
    /// zeros.
    static func text(_ time: Timestamp) -> String {
        var text = time.rfc3339.dropLast()
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text + "Z"
    }
}
