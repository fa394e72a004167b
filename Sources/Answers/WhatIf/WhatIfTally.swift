import FocusCore

/// What a rule would have changed, counted by user and app.
package struct WhatIfTally {
    private struct Count {
        var effects: [WhatIfDifference.Effect: Int] = [:]
        var badges = 0
        var routes = 0
        var metres = 0.0

        var alerts: Int { effects.values.reduce(0, +) }
    }

    private struct Place: Hashable {
        var user: UserID
        var app: AppID
    }

    /// How many lines a table shows, those with the most alerts first; further lines are only counted.
    private static let shown = 20

    package var users = 0
    package var events = 0
    private var counts: [Place: Count] = [:]

    package init() {}

    package mutating func add(_ difference: WhatIfDifference, of user: UserID) {
        let place = Place(user: user, app: difference.app)
        var count = counts[place] ?? Count()
        switch difference {
        case .alert(let alert): count.effects[alert.effect, default: 0] += 1
        case .badge: count.badges += 1
        case .route(let route):
            count.routes += 1
            count.metres += (route.after?.distance ?? 0) - (route.before?.distance ?? 0)
        }
        counts[place] = count
    }

    package var lines: [String] {
        guard !counts.isEmpty else { return ["Nobody would have seen anything else: \(looked)."] }
        let affected = Set(counts.keys.map(\.user))
        let apps = Self.table("APP", sums(\.app), name: \.rawValue)
        let people = Self.table("USER", sums(\.user), name: \.description)
        let end = "\(affected.count) of \(users) users would have seen something else: \(looked)."
        return apps + [""] + people + ["", end]
    }

    private var looked: String { "\(events) events of \(users) users were looked at" }

    private func sums<Key: Hashable>(_ key: KeyPath<Place, Key>) -> [Key: Count] {
        var sums: [Key: Count] = [:]
        for (place, count) in counts {
            var sum = sums[place[keyPath: key]] ?? Count()
            sum.effects.merge(count.effects, uniquingKeysWith: +)
            sum.badges += count.badges
            sum.routes += count.routes
            sum.metres += count.metres
            sums[place[keyPath: key]] = sum
        }
        return sums
    }

    private static func table<Key: Hashable & Comparable>(
        _ title: String, _ counts: [Key: Count], name: (Key) -> String
    ) -> [String] {
        let effects = WhatIfDifference.Effect.allCases
        var table = Table(
            [title, "ALERTS"] + effects.map { $0.rawValue.uppercased() } + ["BADGES", "ROUTES", "METRES"])
        let sorted = counts.sorted { ($1.value.alerts, $0.key) < ($0.value.alerts, $1.key) }
        for (key, count) in sorted.prefix(shown) {
            table.add(
                [name(key), "\(count.alerts)"] + effects.map { "\(count.effects[$0] ?? 0)" } + [
                    "\(count.badges)", "\(count.routes)", NumberText.whole(count.metres),
                ])
        }
        return table.lines + (sorted.count > shown ? ["… and \(sorted.count - shown) more"] : [])
    }
}
