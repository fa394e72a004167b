import PostgresClient
import Support
import Testing

@Suite struct PostgresConnectionTests {
    @Test("a statement is prepared once under its own name")
    func preparesOnce() throws {
        let connection = try makeConnection()
        let statement = Statement(name: "add_one", sql: "SELECT $1::int4 + 1")
        for value in Int32(1)...3 {
            #expect(try connection.query(statement, [.int4(value)]).int4(row: 0, column: 0) == value + 1)
        }
        let names = try connection.run("SELECT name::text FROM pg_prepared_statements WHERE name LIKE 'add%'")
        #expect(names.rowCount == 1)
        #expect(try names.text(row: 0, column: 0) == "add_one")
    }

    @Test("a parameter that was NULL at first takes a value of another type later")
    func nullFirst() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4, b int8)")
        let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES ($1, $2)")
        try connection.query(insert, [.null, .null])
        try connection.query(insert, [.int8(5), .null])
        try connection.query(insert, [.int8(6), .int4(7)])
        try connection.query(insert, [.null, .int4(8)])
        let sums = try connection.run("SELECT sum(a), sum(b)::int8 FROM t")
        #expect(try sums.int8(row: 0, column: 0) == 11)
        #expect(try sums.int8(row: 0, column: 1) == 15)
    }

    @Test("without prepared statements nothing is prepared, and the answers are the same")
    func preparedOff() throws {
        let connection = try makeConnection { $0.usesPreparedStatements = false }
        #expect(try connection.run("SELECT $1 + 1", .int4(1)).int4(row: 0, column: 0) == 2)
        let one = Statement(name: "one", sql: "SELECT $1::text")
        let results = try connection.pipeline([(one, [.text("a")]), (one, [.null])])
        #expect(try results[0].text(row: 0, column: 0) == "a")
        #expect(results[1].isNull(row: 0, column: 0))
        #expect(try connection.count("pg_prepared_statements") == 0)
    }

    @Test("plans that the server dropped or outgrew are prepared anew")
    func stalePlans() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4); INSERT INTO t VALUES (1)")
        let select = Statement(name: "select_all", sql: "SELECT * FROM t")
        #expect(try connection.query(select).columnCount == 1)
        try connection.execute("DEALLOCATE ALL")
        #expect(try connection.query(select).columnCount == 1)
        try connection.execute("ALTER TABLE t ADD b int4")
        #expect(try connection.query(select).columnCount == 2)
        // In a transaction the client cannot retry, because the transaction has already failed. The next transaction
        // succeeds.
        try connection.execute("ALTER TABLE t ADD c int4")
        #expect(try error { try connection.transaction { _ = try $0.query(select) } }.sqlState == "0A000")
        #expect(try connection.transaction { try $0.query(select).columnCount } == 3)
    }

    @Test("a result says how many rows were affected and where a column is; a connection knows the server's version")
    func results() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4)")
        #expect(try connection.run("INSERT INTO t SELECT generate_series(1, 7)").affectedRows == 7)
        let result = try connection.run("SELECT a, a AS \"B\" FROM t")
        #expect(result.column("a") == 0)
        #expect(result.column("B") == 1)
        #expect(result.column("c") == nil)
    }

    @Test("application name and session settings reach the server; what the conninfo says of options stays")
    func settings() throws {
        let connection = try makeConnection {
            $0.applicationName = "focus tests"
            $0.settings = ["search_path": "\"a b\", public", "synchronous_commit": "off"]
            $0.statementTimeoutMilliseconds = 12_345
            $0.conninfo += " options='-c work_mem=1234kB'"
        }
        func show(_ name: String) throws -> String { try connection.run("SHOW \(name)").text(row: 0, column: 0) }
        #expect(try show("application_name") == "focus tests")
        #expect(try show("search_path") == "\"a b\", public")
        #expect(try show("synchronous_commit") == "off")
        #expect(try show("statement_timeout") == "12345ms")
        #expect(try show("work_mem") == "1234kB")
    }

    @Test("notices go to the callback, and to nobody without one")
    func notices() throws {
        let notices = Recorder<String>()
        let connection = try makeConnection { $0.onNotice = { notices.add("\($0.severity) \($0.message)") } }
        try connection.execute("DO $$ BEGIN RAISE WARNING 'careful'; END $$")
        #expect(notices.values == ["WARNING careful"])
        try connection.sibling { $0.onNotice = nil }.execute("DO $$ BEGIN RAISE NOTICE 'psst'; END $$")
    }

    @Test("COPY through query is refused, without a hang")
    func copyThroughQuery() throws {
        let connection = try makeConnection()
        #expect(try error { try connection.execute("COPY (SELECT 1) TO STDOUT") }.kind == .usage)
        #expect(!connection.isUsable)
    }

    @Test("too many parameters and a closed connection are errors, not traps")
    func misuse() throws {
        let connection = try makeConnection()
        let many = [PostgresValue](repeating: .int4(1), count: 70_000)
        #expect(try error { _ = try connection.query(Statement(name: "x", sql: "SELECT 1"), many) }.kind == .usage)
        #expect(try error { try connection.run("") }.kind == .usage)
        #expect(try connection.run("SELECT 1").rowCount == 1)
        connection.close()
        connection.close()
        #expect(!connection.isUsable)
        #expect(try error { try connection.run("SELECT 1") }.kind == .connectionLost)
    }
}
