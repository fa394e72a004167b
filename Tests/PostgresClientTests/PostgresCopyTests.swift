import Foundation
import PostgresClient
import Support
import Testing

@Suite struct PostgresCopyTests {
    private struct Oops: Error {}

    private let binaryIn = Statement(name: "in", sql: "COPY t FROM STDIN (FORMAT binary)")
    private let binaryOut = Statement(
        name: "out", sql: "COPY (SELECT * FROM t ORDER BY a) TO STDOUT (FORMAT binary)")

    private func makeTable() throws -> PostgresConnection {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int8 PRIMARY KEY, b text, c bytea, d timestamptz, e uuid)")
        return connection
    }

    @Test("binary rows go in and come out the same, without the stream's header and trailer")
    func binary() throws {
        let connection = try makeTable()
        let id = UUID()
        let copied = try connection.copyIn(binaryIn) { writer in
            for index in 0..<20_000 {
                try writer.row([
                    .int8(Int64(index)), index % 3 == 0 ? .null : .text("row \(index)"),
                    .bytea([UInt8](repeating: 1, count: index % 50)), .timestamptz(microsecondsSince1970: 77),
                    .uuid(id),
                ])
            }
        }
        #expect(copied == 20_000)
        var next: Int64 = 0
        let received = try connection.copyOut(binaryOut) { bytes in
            var row = try CopyRow(bytes)
            let key = try row.int8()
            let text = try row.next().map { String(decoding: $0, as: UTF8.self) }
            let isSame =
                try key == next && text == (key % 3 == 0 ? nil : "row \(key)") && row.bytes().count == Int(key % 50)
                && row.timestamptz() == 77 && row.uuid() == id && row.fieldCount == 5
            if !isSame { Issue.record("row \(key) differs") }
            next += 1
        }
        #expect(received == 20_000)
        #expect(next == 20_000)
    }

    @Test("text lines go in and come out the same")
    func text() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4, b text)")
        try connection.copyIn(Statement(name: "in", sql: "COPY t FROM STDIN")) { writer in
            for index in 0..<1000 { try writer.write("\(index)\tline \(index)\n") }
        }
        var lines: [String] = []
        try connection.copyOut(Statement(name: "out", sql: "COPY t TO STDOUT")) {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(lines == (0..<1000).map { "\($0)\tline \($0)\n" })
    }

    @Test("rows that copyOut lends can be written to another copyIn as they are")
    func relay() throws {
        let connection = try makeTable()
        try connection.execute("INSERT INTO t SELECT g, 'x', '\\x00' FROM generate_series(1, 100) g")
        try connection.execute("CREATE TABLE u (LIKE t)")
        let other = try connection.sibling()
        try other.copyIn(Statement(name: "u", sql: "COPY u FROM STDIN (FORMAT binary)")) { writer in
            try connection.copyOut(binaryOut) { try writer.write($0) }
        }
        #expect(try connection.count("u") == 100)
    }

    @Test("a COPY without rows copies none, both ways")
    func empty() throws {
        let connection = try makeTable()
        #expect(try connection.copyIn(binaryIn) { _ in } == 0)
        #expect(try connection.copyOut(binaryOut) { _ in Issue.record("a row") } == 0)
    }

    @Test("a writer that throws copies nothing, its error comes through, the connection goes on")
    func writerThrows() throws {
        let connection = try makeTable()
        #expect(throws: Oops.self) {
            try connection.copyIn(binaryIn) { writer in
                for index in 0..<10_000 { try writer.row([.int8(Int64(index)), .null, .null, .null, .null]) }
                throw Oops()
            }
        }
        #expect(connection.isIdle)
        #expect(try connection.count("t") == 0)
    }

    @Test("a reader that throws ends the COPY early, its error comes through, the connection goes on")
    func readerThrows() throws {
        let connection = try makeTable()
        try connection.execute("INSERT INTO t SELECT g FROM generate_series(1, 200000) g")
        var rows = 0
        #expect(throws: Oops.self) {
            try connection.copyOut(binaryOut) { _ in
                rows += 1
                if rows == 3 { throw Oops() }
            }
        }
        #expect(rows == 3)
        #expect(connection.isIdle)
        #expect(try connection.count("t") == 200_000)
    }

    @Test("what the server refuses is mapped like any statement's error")
    func serverErrors() throws {
        let connection = try makeTable()
        let duplicate = try error {
            try connection.copyIn(binaryIn) { writer in
                // Far more than the buffers hold, so that the error arrives while the client still writes.
                for _ in 0..<300_000 { try writer.row([.int8(1), .text("x"), .null, .null, .null]) }
            }
        }
        #expect(duplicate.kind == .uniqueViolation(constraint: "t_pkey"))
        let columns = try error { try connection.copyIn(binaryIn) { try $0.row([.int8(1)]) } }
        #expect(columns.sqlState == "22P04")
        let nowhere = Statement(name: "nowhere", sql: "COPY nowhere TO STDOUT")
        #expect(try error { try connection.copyOut(nowhere) { _ in } }.sqlState == "42P01")
        #expect(connection.isIdle)
    }

    @Test("the wrong direction and use of the connection inside a callback are errors")
    func misuse() throws {
        let connection = try makeTable()
        try connection.run("INSERT INTO t VALUES (1)")
        let inside = try error { try connection.copyOut(binaryOut) { _ in try connection.run("SELECT 1") } }
        #expect(inside.kind == .usage)
        #expect(connection.isIdle)
        #expect(try error { try connection.copyIn(binaryOut) { _ in } }.kind == .usage)
        let notCopy = try connection.sibling()
        let select = Statement(name: "select", sql: "SELECT 1")
        #expect(try error { try notCopy.copyOut(select) { _ in } }.kind == .usage)
        #expect(notCopy.isIdle)
    }
}
