/// Gathers a page of points that come in the order of time.
struct RoutePointPage {
    private let from: Timestamp
    private let to: Timestamp
    private let limit: Int
    private var points: [RoutePoint] = []
    private var next: Timestamp?

    /// - Parameter limit: 0, and more than `FetchLimits.pointsPerPage`: so many.
    init(from: Timestamp?, to: Timestamp?, limit: Int) {
        self.from = from ?? Timestamp(microseconds: .min)
        self.to = to ?? Timestamp(microseconds: .max)
        self.limit = (1...FetchLimits.pointsPerPage).contains(limit) ? limit : FetchLimits.pointsPerPage
    }

    /// Takes the next points. False: the page is whole.
    mutating func take(_ some: [RoutePoint]) -> Bool {
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
