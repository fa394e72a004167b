import PostgresClient
import Support
import Testing

@Suite struct PostgresPipelineTests {
    private let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1)")
    private let count = Statement(name: "count", sql: "SELECT count(*) FROM t")

    private func makeTable() throws -> PostgresConnection {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4 PRIMARY KEY)")
        return connection
    }

    @Test("results come in the order of the requests, and each sees the ones before")
    func order() throws {
        let connection = try makeTable()
        let results = try connection.pipeline([(insert, [.int4(1)]), (count, []), (insert, [.int4(2)]), (count, [])])
        #expect(results.count == 4)
        #expect(results[0].affectedRows == 1)
        #expect(try results[1].int8(row: 0, column: 0) == 1)
        #expect(try results[3].int8(row: 0, column: 0) == 2)
        #expect(try connection.pipeline([]).isEmpty)
    }

    @Test("an error in the middle is thrown, nothing of the pipeline has happened, and the connection goes on")
    func errorInTheMiddle() throws {
        let connection = try makeTable()
        let error = try error {
            _ = try connection.pipeline([
                (insert, [.int4(1)]), (insert, [.int4(1)]), (count, []), (insert, [.int4(3)]),
            ])
        }
        #expect(error.kind == .uniqueViolation(constraint: "t_pkey"))
        #expect(error.statement == "insert")
        #expect(connection.isIdle)
        #expect(try connection.count("t") == 0)
        #expect(try connection.pipeline([(insert, [.int4(1)]), (count, [])]).count == 2)
    }

    @Test("a constraint that fails at the implicit commit is thrown")
    func errorAtSync() throws {
        let connection = try makeTable()
        try connection.execute("CREATE TABLE u (a int4 REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        let orphan = Statement(name: "orphan", sql: "INSERT INTO u VALUES ($1)")
        let error = try error { _ = try connection.pipeline([(orphan, [.int4(1)]), (count, [])]) }
        #expect(error.kind == .constraintViolation(constraint: "u_a_fkey"))
        #expect(connection.isIdle)
        #expect(try connection.count("u") == 0)
    }

    @Test("a statement that cannot be prepared fails before anything is sent")
    func errorInPrepare() throws {
        let connection = try makeTable()
        let wrong = Statement(name: "wrong", sql: "SELECT nothing FROM nowhere")
        let error = try error { _ = try connection.pipeline([(insert, [.int4(1)]), (wrong, [])]) }
        #expect(error.kind == .syntax)
        #expect(error.statement == "wrong")
        #expect(try connection.count("t") == 0)
    }

    @Test("large requests with large answers do not lock up")
    func largeBothWays() throws {
        let connection = try makeConnection()
        let echo = Statement(name: "echo", sql: "SELECT $1")
        let payload = [UInt8](repeating: 7, count: 200_000)
        let results = try connection.pipeline(Array(repeating: (echo, [.bytea(payload)]), count: 100))
        #expect(try results.allSatisfy { try $0.bytes(row: 0, column: 0).count == payload.count })
    }

    @Test("one statement with parameters of several types in one pipeline")
    func mixedTypes() throws {
        let connection = try makeTable()
        let results = try connection.pipeline([
            (insert, [.int8(1)]), (insert, [.int4(2)]), (insert, [.int2(3)]), (count, []),
        ])
        #expect(try results[3].int8(row: 0, column: 0) == 3)
    }

    @Test("a pipeline inside a transaction belongs to it")
    func inTransaction() throws {
        struct Oops: Error {}
        let connection = try makeTable()
        #expect(throws: Oops.self) {
            try connection.transaction { inner in
                _ = try inner.pipeline([(insert, [.int4(1)]), (insert, [.int4(2)])])
                throw Oops()
            }
        }
        #expect(try connection.count("t") == 0)
    }

    @Test("COPY and an empty statement in a pipeline are errors, without a hang")
    func misuse() throws {
        let connection = try makeTable()
        let empty = Statement(name: "empty", sql: "")
        #expect(try error { _ = try connection.pipeline([(empty, []), (count, [])]) }.kind == .usage)
        let copy = Statement(name: "copy", sql: "COPY t TO STDOUT")
        let error = try error { _ = try connection.pipeline([(copy, []), (count, [])]) }
        #expect(error.kind != .connectionLost || !connection.isUsable)
    }
}
