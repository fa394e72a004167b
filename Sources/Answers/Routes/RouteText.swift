import FocusCore

/// A route for people.
package enum RouteText {
    /// A route that was imported.
    /// - Parameters:
    ///   - timed: how many points of the file have a time.
    ///   - untimed: how many have none, and were left out.
    package static func lines(_ row: RouteRow, timed: Int, untimed: Int) -> [String] {
        let sums = row.aggregates
        var table = Table(["route", row.routeID])
        table.add(["points", "\(timed) with a time, \(counts(sums.counts))"])
        table.add(["without time", "\(untimed) left out"])
        add(sums, to: &table)
        return table.lines
    }

    /// A route as its row has it, and its splits.
    package static func lines(_ row: RouteRow) -> [String] {
        var table = Table(["route", row.routeID])
        table.add(["activity", row.activity])
        table.add(["state", row.workoutID.map { "finished, of workout \($0)" } ?? "open"])
        table.add(["points", counts(row.aggregates.counts)])
        add(row.aggregates, to: &table)
        for stretch in row.fastest {
            table.add(["fastest \(stretch.metres / 1_000) km", "\(span(stretch.durationMicroseconds))"])
        }
        return table.lines + splits(row.aggregates.splits)
    }

    private static func splits(_ splits: [RouteSplit]) -> [String] {
        guard !splits.isEmpty else { return [] }
        var table = Table(["SPLIT", "METRES", "TIME", "M/S"])
        for (number, split) in splits.enumerated() {
            let seconds = Double(split.durationMicroseconds) / 1e6
            table.add([
                "\(number + 1)", NumberText.decimal(split.distance, 0), span(split.durationMicroseconds),
                seconds > 0 ? NumberText.decimal(split.distance / seconds, 2) : "",
            ])
        }
        return [""] + table.lines
    }

    private static func add(_ sums: RouteAggregates, to table: inout Table) {
        if let start = sums.start, let end = sums.end { table.add(["from", "\(start.rfc3339) to \(end.rfc3339)"]) }
        table.add(["distance", "\(NumberText.decimal(sums.distance, 2)) m"])
        table.add([
            "duration", "\(span(sums.durationMicroseconds)), moving \(span(sums.movingMicroseconds))",
        ])
        table.add([
            "elevation",
            "+\(NumberText.decimal(sums.elevationGain, 1)) m, -\(NumberText.decimal(sums.elevationLoss, 1)) m",
        ])
        table.add([
            "speed",
            "\(NumberText.decimal(sums.averageSpeed, 2)) m/s on average, "
                + "\(NumberText.decimal(sums.movingAverageSpeed, 2)) m/s moving, "
                + "\(NumberText.decimal(sums.maximumSpeed, 2)) m/s at most",
        ])
        table.add([
            "gaps", "\(sums.gapsOver3Seconds) over 3 s, the longest \(span(sums.largestGapMicroseconds))",
        ])
    }

    private static func counts(_ counts: RouteCounts) -> String {
        "\(counts.accepted) accepted, \(counts.duplicate) duplicates, \(counts.dropped) dropped"
    }

    /// `1:02:03`.
    private static func span(_ microseconds: Int64) -> String {
        let seconds = microseconds / 1_000_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }
}
