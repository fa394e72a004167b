import ArgumentParser

/// A time span as people write it: `90s`, `15m`, `12h`, `30d`.
struct Lifetime: ExpressibleByArgument, Hashable, Comparable {
    let seconds: Int64

    init?(argument: String) {
        guard let unit = argument.last, let count = Int64(argument.dropLast()), (1...1_000_000).contains(count) else {
            return nil
        }
        switch unit {
        case "s": seconds = count
        case "m": seconds = count * 60
        case "h": seconds = count * 3_600
        case "d": seconds = count * 86_400
        default: return nil
        }
    }

    static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }

    init(days: Int64) { seconds = days * 86_400 }

    var defaultValueDescription: String { "\(seconds / 86_400)d" }
}
