import ArgumentParser
import FocusCore

/// A moment as people write it (RFC 3339): `2026-03-29T01:00:00Z`.
struct LogTime: ExpressibleByArgument, Hashable {
    let time: Timestamp

    init(_ time: Timestamp) { self.time = time }

    init?(argument: String) {
        guard let time = Timestamp(rfc3339: argument) else { return nil }
        self.time = time
    }

    var defaultValueDescription: String { time.rfc3339 }
}
