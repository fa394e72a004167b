import PostgresClient
import Support
import Testing

@Suite struct PostgresErrorTests {
    @Test(
        "what the server refuses comes as its kind",
        arguments: [
            ("INSERT INTO t VALUES (1)", .uniqueViolation(constraint: "t_pkey"), "23505"),
            ("INSERT INTO t VALUES (-1)", .constraintViolation(constraint: "positive"), "23514"),
            ("SELECT * FROM nowhere", .syntax, "42P01"),
            ("SELEC 1", .syntax, "42601"),
            ("SELECT 1/0", .invalidData, "22012"),
            ("SELECT fail()", .raised, "P0001"),
            ("SELECT * FROM pg_authid", .insufficientPrivilege, "42501"),
            ("SELECT repeat('x', 1 << 30)", .insufficientResources, "54000"),
        ] as [(String, PostgresError.Kind, String)])
    func kinds(_ sql: String, _ kind: PostgresError.Kind, _ state: String) throws {
        let connection = try makeConnection()
        try connection.execute(
            """
            CREATE TABLE t (a int4 PRIMARY KEY CONSTRAINT positive CHECK (a > 0)); INSERT INTO t VALUES (1);
            CREATE FUNCTION fail() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
            DO $$ BEGIN CREATE ROLE nobody_here; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
            GRANT ALL ON t TO nobody_here; GRANT USAGE ON SCHEMA public TO nobody_here; SET ROLE nobody_here
            """)
        let error = try error { try connection.run(sql) }
        #expect(error.kind == kind)
        #expect(error.sqlState == state)
        #expect(connection.isIdle)
        #expect(try connection.run("SELECT 1").rowCount == 1)
    }

    @Test("a lock that another session holds comes as lockNotAvailable")
    func locks() throws {
        let first = try makeConnection()
        try first.execute("CREATE TABLE t (a int4)")
        let second = try first.sibling()
        try first.execute("BEGIN; LOCK TABLE t")
        #expect(try error { try second.execute("BEGIN; LOCK TABLE t NOWAIT") }.kind == .lockNotAvailable)
    }

    @Test("an error's description holds neither statement nor parameter nor value")
    func description() throws {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a text PRIMARY KEY)")
        let insert = Statement(name: "insert_secret", sql: "INSERT INTO t VALUES ($1) /* hush */")
        try connection.query(insert, [.text("s3cret")])
        let unique = try error { try connection.query(insert, [.text("s3cret")]) }
        #expect("\(unique)" == "PostgreSQL: uniqueViolation(constraint: \"t_pkey\") [23505] in insert_secret")
        let cast = Statement(name: "cast", sql: "SELECT $1::text::int4")
        let invalid = try error { try connection.query(cast, [.text("s3cret")]) }
        #expect("\(invalid)" == "PostgreSQL: invalidData [22P02] in cast")
        try connection.execute("SET default_transaction_read_only = on")
        let readOnly = try error { try connection.query(insert, [.text("other")]) }
        #expect(
            "\(readOnly)"
                == "PostgreSQL only reads: it is a standby, or still recovers [25006] in insert_secret")
        #expect(invalid.message.contains("s3cret"), "for the log")
    }

    @Test("no server, no database, and a malformed connection string are told apart")
    func connecting() throws {
        func attempt(_ conninfo: String) throws -> PostgresError {
            try error { _ = try PostgresConnection(PostgresConfiguration(conninfo: conninfo)) }
        }
        #expect(try attempt("host=/nonexistent dbname=x").kind == .cannotConnect)
        #expect(try attempt("host=127.0.0.1 port=1 dbname=x").kind == .cannotConnect)
        let missing = try attempt(TestCluster.shared.conninfo(database: "missing"))
        #expect(missing.kind == .cannotConnect)
        #expect(missing.sqlState == "3D000")
        let malformed = try attempt("postgres://user:hunter2@host:port:/x?y")
        #expect(malformed.kind == .usage)
        #expect(!malformed.message.contains("hunter2"))
    }

    @Test("a multi-host connection string finds the one that answers")
    func multiHost() throws {
        let socket = TestCluster.shared.conninfo().split(separator: "'")[1]
        let conninfo = "host=/nonexistent,\(socket) port=5432,5432 user=focusd dbname=focusd"
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        #expect(try connection.run("SELECT 1").rowCount == 1)
    }

    @Test("only errors after which the commit may have happened are in doubt")
    func inDoubt() {
        let doubtful: [PostgresError.Kind] = [.connectionLost, .replicationUnconfirmed]
        let certain: [PostgresError.Kind] = [
            .cannotConnect, .shuttingDown, .timeout, .cancelled, .serializationFailure, .transactionAborted,
        ]
        #expect(doubtful.allSatisfy { PostgresError(kind: $0, message: "").outcomeIsUnknown })
        #expect(!certain.contains { PostgresError(kind: $0, message: "").outcomeIsUnknown })
    }
}
