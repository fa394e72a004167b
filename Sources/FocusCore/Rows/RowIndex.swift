/// Finds rows by the hashes of their keys: a hash table of their numbers, with linear probing. The keys themselves
/// stand with the rows; a look-up compares one of them, mostly, and hashes nothing.
struct RowIndex: Sendable {
    private struct Cell: Sendable {
        /// The lower half of the key's hash: enough for tables of so many rows, and other keys rarely share it.
        var hash: UInt32
        /// The row's number; below zero when the cell is free.
        var number: Int32

        static let free = Cell(hash: 0, number: -1)
    }

    /// Their count is a power of two, or 0; at least a quarter of them is free, so that every probe ends.
    private var cells: [Cell] = []
    private var count = 0

    /// The number of the row with that hash which `matches`.
    func number(_ hash: UInt, matches: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var place = home(hash)
        while cells[place].number >= 0 {
            let cell = cells[place]
            if cell.hash == hash, matches(Int(cell.number)) { return Int(cell.number) }
            place = next(place)
        }
        return nil
    }

    /// Inserts a row that is not in the index.
    mutating func insert(_ hash: UInt, _ number: Int) {
        reserveCapacity(count + 1)
        place(Cell(hash: UInt32(truncatingIfNeeded: hash), number: Int32(number)))
        count += 1
    }

    /// Removes a row that is in the index. The cells behind it move up, so that no probe ends too early.
    mutating func remove(_ hash: UInt, _ number: Int) {
        var hole = home(UInt32(truncatingIfNeeded: hash))
        while cells[hole].number != Int32(number) { hole = next(hole) }
        var place = next(hole)
        while cells[place].number >= 0 {
            // It may move when the hole is on the way from its home to where it stands.
            let way = (place - home(cells[place].hash)) & (cells.count - 1)
            if way >= (place - hole) & (cells.count - 1) {
                cells[hole] = cells[place]
                hole = place
            }
            place = next(place)
        }
        cells[hole] = .free
        count -= 1
    }

    /// Makes room for `rows` rows.
    mutating func reserveCapacity(_ rows: Int) {
        guard rows * 4 > cells.count * 3 else { return }
        var size = max(16, cells.count)
        while rows * 4 > size * 3 { size *= 2 }
        let old = cells
        cells = Array(repeating: .free, count: size)
        for cell in old where cell.number >= 0 { place(cell) }
    }

    private mutating func place(_ cell: Cell) {
        var place = home(cell.hash)
        while cells[place].number >= 0 { place = next(place) }
        cells[place] = cell
    }

    private func home(_ hash: UInt32) -> Int { Int(hash) & (cells.count - 1) }
    private func next(_ place: Int) -> Int { (place + 1) & (cells.count - 1) }
}
