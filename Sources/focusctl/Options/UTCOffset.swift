import ArgumentParser

/// `+02:00`, `-05:30` or `Z`: how far local time is ahead of UTC.
struct UTCOffset: ExpressibleByArgument, Hashable {
    static let zero = UTCOffset(seconds: 0)

    /// Seconds east of UTC.
    let seconds: Int32

    private init(seconds: Int32) { self.seconds = seconds }

    init?(argument: String) {
        if argument == "Z" {
            seconds = 0
            return
        }
        let digits = argument.dropFirst()
        guard let sign = argument.first, sign == "+" || sign == "-", digits.utf8.count == 5,
            let hours = Int32(digits.prefix(2)), digits.dropFirst(2).first == ":",
            let minutes = Int32(digits.suffix(2)),
            (0...14).contains(hours), (0...59).contains(minutes)
        else { return nil }
        seconds = (sign == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    var defaultValueDescription: String { seconds == 0 ? "Z" : "\(seconds) s" }
}
