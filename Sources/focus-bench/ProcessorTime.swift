import Foundation

/// Processor time in seconds: in the program, and in the system on its behalf.
struct ProcessorTime {
    var user: Double
    var system: Double
    var total: Double { user + system }

    static var ofThisProcess: ProcessorTime {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessorTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
    }

    static func - (a: Self, b: Self) -> Self { Self(user: a.user - b.user, system: a.system - b.system) }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
