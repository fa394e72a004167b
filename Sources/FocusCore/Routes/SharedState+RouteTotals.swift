extension SharedState {
    /// Rule R7: counts a route that was just finished, in four periods of its app and of all apps: eight rows, however
    /// many routes there are. Unfinished routes count nowhere, and a finished one changes no more (rule R4), so totals
    /// only grow.
    mutating func addToTotals(_ row: RouteRow, of app: AppID) throws(FoldError) {
        guard let route = FinishedRoute(row, app: app) else { return }
        for app in [app, nil] {
            for period in RoutePeriod.allCases {
                let key = RowKey(.routeTotals, app: app, key: period.key(of: route.day, activity: row.activity))
                var total = RouteTotalRow(
                    activity: row.activity, period: period, startsOn: period.start(of: route.day))
                if store[key] != nil { total = try value(of: key) }
                total.add(route)
                put(key, total.encoded)
            }
        }
    }
}
