import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// A moment of a route as people write it: a time, or seconds from the route's start.
enum RouteMoment: ExpressibleByArgument, Hashable {
    case time(Timestamp)
    case microsecondsFromStart(Int64)

    init?(argument: String) {
        if let seconds = Double(argument), abs(seconds) < 1e12 {
            self = .microsecondsFromStart(Int64((seconds * 1e6).rounded()))
        } else if let time = Timestamp(rfc3339: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }

    func time(from start: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .microsecondsFromStart(let microseconds): start.adding(microseconds: microseconds)
        }
    }
}
