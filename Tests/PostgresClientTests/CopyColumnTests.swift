import Foundation
import PostgresClient
import Support
import Testing

@Suite struct CopyColumnTests {
    private static let copy = Statement(
        name: "copy",
        sql: "COPY t (a, b, c, d, e, f, g, h, i) FROM STDIN (FORMAT binary)")

    private func makeTable() throws -> PostgresConnection {
        let connection = try makeConnection()
        try connection.execute(
            """
            CREATE TABLE t (
                a int4, b int8, c text, d bytea, e boolean, f float8, g timestamptz, h uuid, i text[])
            """)
        return connection
    }

    @Test("rows given column by column go in as they are: one value for all, elements with NULLs, single values")
    func columns() throws {
        let connection = try makeTable()
        let ids = (0..<9_000).map { _ in UUID() }
        let copied = try connection.copyIn(Self.copy) { writer in
            try writer.rows(
                9_000,
                [
                    .all(.int4(7)), .elements(.int8Array((0..<9_000).map(Int64.init))),
                    .elements(.textArray((0..<9_000).map { $0 % 2 == 0 ? nil : "row \($0)" })),
                    .elements(.byteaArray((0..<9_000).map { [UInt8](repeating: 1, count: $0 % 40) })),
                    .elements(.boolArray((0..<9_000).map { [true, false, nil][$0 % 3] })),
                    .elements(.float8Array((0..<9_000).map { $0 == 1 ? nil : Double($0) / 4 })),
                    .elements(.timestamptzArray((0..<9_000).map { Int64($0) * 1_000_000 })),
                    .elements(.uuidArray(ids)),
                    .values((0..<9_000).map { $0 == 0 ? .null : .textArray(["x", nil, "\($0)"]) }),
                ])
        }
        #expect(copied == 9_000)
        let count = try connection.query(
            Statement(
                name: "count",
                sql: """
                    SELECT count(*) FROM t WHERE a = 7 AND (b % 2 = 0) = (c IS NULL) AND coalesce(c, 'row ' || b) = 'row ' || b
                        AND d = decode(repeat('01', (b % 40)::integer), 'hex')
                        AND e IS NOT DISTINCT FROM (ARRAY[true, false, NULL])[b % 3 + 1]
                        AND f IS NOT DISTINCT FROM nullif(b, 1) / 4.0::float8 AND g = to_timestamp(b)
                        AND i IS NOT DISTINCT FROM CASE WHEN b > 0 THEN ARRAY['x', NULL, b::text] END
                    """))
        #expect(try count.int8(row: 0, column: 0) == 9_000)
        let found = try connection.query(Statement(name: "ids", sql: "SELECT h FROM t ORDER BY b"))
        #expect(try (0..<9_000).map { try found.uuid(row: $0, column: 0) } == ids)
    }

    @Test("columns of different lengths, and one that is no array, are refused, and nothing is copied")
    func uneven() throws {
        let connection = try makeTable()
        let copy = Statement(name: "two", sql: "COPY t (a, b) FROM STDIN (FORMAT binary)")
        for columns in [
            [.elements(.int4Array([1, 2])), .elements(.int8Array([1]))], [.all(.int4(1)), .elements(.int8(2))],
        ] as [[CopyColumn]] {
            let error = #expect(throws: PostgresError.self) {
                try connection.copyIn(copy) { try $0.rows(2, columns) }
            }
            #expect(error?.kind == .usage)
        }
        let count = try connection.query(Statement(name: "all", sql: "SELECT count(*) FROM t"))
        #expect(try count.int8(row: 0, column: 0) == 0)
    }
}
