import Foundation
import PostgresClient
import Support
import Testing

@Suite struct PostgresValueTests {
    @Test("scalars of every type come back as they went")
    func scalars() throws {
        let connection = try makeConnection()
        let id = UUID()
        let row = try connection.run(
            "SELECT $1, $2, $3, $4, $5, $6::text, $7, $8, $9, $10::int4",
            .bool(true), .int2(.min), .int4(.max), .int8(.min), .float8(-0.1), .text("grüß 👋"),
            .bytea([0, 255, 7]), .uuid(id), .timestamptz(microsecondsSince1970: 1_752_000_000_123_456), .null)
        #expect(try row.bool(row: 0, column: 0))
        #expect(try row.int2(row: 0, column: 1) == .min)
        #expect(try row.int4(row: 0, column: 2) == .max)
        #expect(try row.int8(row: 0, column: 3) == .min)
        #expect(try row.float8(row: 0, column: 4) == -0.1)
        #expect(try row.text(row: 0, column: 5) == "grüß 👋")
        #expect(try row.bytes(row: 0, column: 6) == [0, 255, 7])
        #expect(try row.uuid(row: 0, column: 7) == id)
        #expect(try row.timestamptz(row: 0, column: 8) == 1_752_000_000_123_456)
        #expect(row.isNull(row: 0, column: 9))
        #expect(try row.optional(0, 9, row.int4) == nil)
        #expect(try row.optional(0, 2, row.int4) == .max)
    }

    @Test("the server reads a timestamp as the moment that was meant, and infinities as the ends of the range")
    func timestamps() throws {
        let connection = try makeConnection()
        let row = try connection.run(
            "SELECT ($1::timestamptz AT TIME ZONE 'UTC')::text, $2::text, $3::text, 'infinity'::timestamptz",
            .timestamptz(microsecondsSince1970: 1), .timestamptz(microsecondsSince1970: .max),
            .timestamptz(microsecondsSince1970: .min))
        #expect(try row.text(row: 0, column: 0) == "1970-01-01 00:00:00.000001")
        #expect(try row.text(row: 0, column: 1) == "infinity")
        #expect(try row.text(row: 0, column: 2) == "-infinity")
        #expect(try row.timestamptz(row: 0, column: 3) == .max)
    }

    @Test("arrays of every type come back as they went, NULLs, empty elements and all")
    func arrays() throws {
        let connection = try makeConnection()
        let ids = [UUID(), UUID()]
        let row = try connection.run(
            "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10",
            .int2Array([1, -1]), .int4Array([.max, .min]), .int8Array([3]), .int8OptionalArray([nil, 7]),
            .float8Array([nil, .infinity]), .boolArray([true, nil, false]), .textArray(["", nil, "é"]),
            .byteaArray([[], nil, [9, 8]]), .uuidArray(ids), .timestamptzArray([nil, 5]))
        #expect(try row.int2Array(row: 0, column: 0) == [1, -1])
        #expect(try row.int4Array(row: 0, column: 1) == [.max, .min])
        #expect(try row.int8Array(row: 0, column: 2) == [3])
        #expect(try row.int8Array(row: 0, column: 3) == [nil, 7])
        #expect(try row.float8Array(row: 0, column: 4) == [nil, .infinity])
        #expect(try row.boolArray(row: 0, column: 5) == [true, nil, false])
        #expect(try row.textArray(row: 0, column: 6) == ["", nil, "é"])
        #expect(try row.byteaArray(row: 0, column: 7) == [[], nil, [9, 8]])
        #expect(try row.uuidArray(row: 0, column: 8) == ids)
        #expect(try row.timestamptzArray(row: 0, column: 9) == [nil, 5])
    }

    @Test("empty arrays are arrays, not NULL")
    func emptyArrays() throws {
        let connection = try makeConnection()
        let row = try connection.run(
            "SELECT cardinality($1), cardinality($2), $3", .byteaArray([]), .int4Array([]), .textArray([]))
        #expect(try row.int4(row: 0, column: 0) == 0)
        #expect(try row.int4(row: 0, column: 1) == 0)
        #expect(try row.textArray(row: 0, column: 2).isEmpty)
    }

    @Test("thousands of payloads in one array reach the server whole")
    func largeArrays() throws {
        let connection = try makeConnection()
        let payloads = (0..<5000).map { index in [UInt8](repeating: UInt8(index % 251), count: index % 700) }
        let result = try connection.run(
            "SELECT p, o FROM unnest($1, $2) AS t(p, o) ORDER BY o",
            .byteaArray(payloads), .int8Array(payloads.indices.map(Int64.init)))
        #expect(result.rowCount == 5000)
        for row in 0..<result.rowCount where try result.bytes(row: row, column: 0) != payloads[row] {
            Issue.record("payload \(row) differs")
        }
    }

    @Test("text fills an enum, and an enum's label reads as text")
    func enums() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TYPE mood AS ENUM ('calm', 'wild'); CREATE TABLE t (m mood)")
        try connection.run("INSERT INTO t VALUES ($1)", .text("wild"))
        try connection.run("INSERT INTO t SELECT unnest($1::text[]::mood[])", .textArray(["calm"]))
        let result = try connection.run("SELECT m FROM t ORDER BY m")
        #expect(try result.text(row: 0, column: 0) == "calm")
        #expect(try result.text(row: 1, column: 0) == "wild")
        #expect(try result.isText(row: 0, column: 0, "calm") && !result.isText(row: 1, column: 0, "calm"))
        #expect(try !result.isText(row: 0, column: 0, "cal") && !result.isText(row: 0, column: 0, ""))
    }

    @Test("reading a wrong type, NULL or no row throws, never traps")
    func wrongReads() throws {
        let connection = try makeConnection()
        let result = try connection.run("SELECT 1::int4, NULL::int4, 'a'::text, ARRAY[[1,2],[3,4]]")
        #expect(try error { _ = try result.int2(row: 0, column: 0) }.kind == .decoding)
        #expect(try error { _ = try result.uuid(row: 0, column: 2) }.kind == .decoding)
        #expect(try error { _ = try result.text(row: 0, column: 0) }.kind == .decoding)
        #expect(try error { _ = try result.isText(row: 0, column: 0, "1") }.kind == .decoding)
        #expect(try error { _ = try result.int4(row: 0, column: 1) }.kind == .decoding)
        #expect(try error { _ = try result.int4(row: 1, column: 0) }.kind == .decoding)
        #expect(try error { _ = try result.int8(row: 0, column: 9) }.kind == .decoding)
        #expect(try error { _ = try result.bytes(row: -1, column: 0) }.kind == .decoding)
        #expect(try error { _ = try result.int4Array(row: 0, column: 3) }.kind == .decoding)
        #expect(try result.int8(row: 0, column: 0) == 1, "a smaller integer fits")
    }
}
