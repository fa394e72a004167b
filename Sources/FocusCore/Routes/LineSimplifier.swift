/// Simplifies a line on the ellipsoid after Douglas and Peucker: it keeps as few of the vertices as it finds so that
/// none is farther than `tolerance` from the chord between the kept ones around it.
///
/// The line is first cut in blocks, whose ends are kept. That bounds the work (the algorithm alone is quadratic for
/// lines that somebody made for it), and keeps chords so short that it does not matter whether a map draws them
/// straight in its projection or on the ground: at 2 km the two differ by 0.08 m · tan φ.
struct LineSimplifier {
    /// Vertices in a block.
    static let maximumBlock = 1_024

    /// Metres.
    var tolerance: Double
    /// Metres from a block's first vertex to its last; a longer chord only joins neighbours.
    var maximumLength: Double

    /// The indices of the vertices that stay, ascending: the first, the last and what the shape needs.
    func simplify(_ vertices: [CartesianPosition]) -> [Int] {
        guard vertices.count > 2 else { return Array(vertices.indices) }
        var kept = [0]
        var start = 0
        while start < vertices.count - 1 {
            let end = endOfBlock(from: start, in: vertices)
            simplify(between: start, and: end, in: vertices, &kept)
            kept.append(end)
            start = end
        }
        return kept
    }

    private func endOfBlock(from start: Int, in vertices: [CartesianPosition]) -> Int {
        var end = start + 1
        let limit = min(vertices.count - 1, start + Self.maximumBlock)
        let square = maximumLength * maximumLength
        while end < limit, vertices[start].distanceSquared(to: vertices[end + 1]) <= square { end += 1 }
        return end
    }

    /// Appends to `kept` in ascending order. It has a stack of its own, because the line would choose the depth of a
    /// recursion.
    private func simplify(
        between start: Int, and end: Int, in vertices: [CartesianPosition], _ kept: inout [Int]
    ) {
        var ends = [end]
        var from = start
        while let to = ends.last {
            if let farthest = farthest(between: from, and: to, in: vertices) {
                ends.append(farthest)
            } else {
                if to != end { kept.append(to) }
                from = to
                ends.removeLast()
            }
        }
    }

    /// The vertex farthest from the chord; nil when all are within the tolerance.
    private func farthest(between start: Int, and end: Int, in vertices: [CartesianPosition]) -> Int? {
        guard end - start > 1 else { return nil }
        let chord = CartesianPosition.Chord(from: vertices[start], to: vertices[end])
        var farthest: Int?
        var greatest = tolerance * tolerance
        for index in start + 1..<end {
            let square = chord.distanceSquared(to: vertices[index])
            if square > greatest { (farthest, greatest) = (index, square) }
        }
        return farthest
    }
}
