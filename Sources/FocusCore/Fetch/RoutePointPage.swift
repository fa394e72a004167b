/// Gathers a page of points that come in the order of time.
struct RoutePointPage {
    private let from: Timestamp
    private let to: Timestamp
    private let limit: Int
    private var points: [RoutePoint] = []
    private var next: Timestamp?

    /// - Parameter limit: the most points in the page; anything outside 1…`FetchLimits.pointsPerPage` means
    ///   `FetchLimits.pointsPerPage`.
    init(from: Timestamp?, to: Timestamp?, limit: Int) {
        self.from = from ?? Timestamp(microseconds: .min)
        self.to = to ?? Timestamp(microseconds: .max)
        self.limit = (1...FetchLimits.pointsPerPage).contains(limit) ? limit : FetchLimits.pointsPerPage
    }

    /// Adds the next points. Returns false when the page is complete.
    mutating func append(_ some: [RoutePoint]) -> Bool {
        for point in some where point.time >= from {
            guard point.time <= to else { return false }
            guard points.count < limit else {
                next = point.time
                return false
            }
            points.append(point)
        }
        return true
    }

    var answer: FetchAnswer { .points(points, next: next) }
}
