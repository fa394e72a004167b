/// Text in columns, each as wide as its widest cell.
package struct Table {
    private var rows: [[String]]

    package init(_ header: [String]) { rows = [header] }

    /// Adds a row. Control characters are written out first, because their width counts.
    package mutating func add(_ row: [String]) { rows.append(row.map { VisibleText.of($0) }) }

    package var isEmpty: Bool { rows.count == 1 }

    package var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
