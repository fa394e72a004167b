/// What the fold counts as work, in units of about a microsecond of a processor of 2024.
///
/// Work is counted and not timed, so that it is the same for equal events wherever they are folded. A count decides who
/// is served next (protocol.md, rule Q1), and nothing that is folded: it is in no row, no digest and no comparison.
///
/// The factors are estimates for an optimized build.
enum FoldWork {
    /// A row that is written, whether it changes or not.
    static let row = 2
    /// Bytes of a row that are written in one unit.
    static let bytesPerUnit = 512
    /// An entry of a list that is written anew, with the rows that it has, and that its row is read for.
    static let entryWritten = 6
    /// Entries of a list that are looked at in one unit.
    static let entriesPerUnit = 4
    /// Points of a route whose altitudes, or whose known segments, are added up again in one unit.
    static let altitudesPerUnit = 32
    /// A point of a route that is finished: it is measured, simplified and encoded once more.
    static let sealedPoint = 3
}

extension UserState {
    /// The work that the fold has done on this state since it was made, in units of about a microsecond. It only grows.
    public var work: Int { shared.work }
}
