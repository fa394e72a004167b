import PostgresClient
import Support
import Testing

@Suite struct PostgresTransactionTests {
    private struct Oops: Error {}

    private func makeTable() throws -> PostgresConnection {
        let connection = try makeConnection()
        try connection.execute("CREATE TABLE t (a int4 PRIMARY KEY)")
        return connection
    }

    @Test("a body that returns is committed, with its value")
    func commits() throws {
        let connection = try makeTable()
        let value = try connection.transaction { inner in
            try inner.run("INSERT INTO t VALUES (1)")
            return "done"
        }
        #expect(value == "done")
        #expect(try connection.sibling().count("t") == 1)
    }

    @Test("a body that throws is rolled back, and its error comes through")
    func rollsBack() throws {
        let connection = try makeTable()
        #expect(throws: Oops.self) {
            try connection.transaction { inner in
                try inner.run("INSERT INTO t VALUES (1)")
                throw Oops()
            }
        }
        #expect(connection.isIdle)
        #expect(try connection.count("t") == 0)
    }

    @Test("a body that swallows a failed statement is not taken for committed")
    func swallowedError() throws {
        let connection = try makeTable()
        let error = try error {
            try connection.transaction { inner in
                try inner.run("INSERT INTO t VALUES (1)")
                _ = try? inner.run("SELECT 1/0")
            }
        }
        #expect(error.kind == .transactionAborted)
        #expect(try connection.count("t") == 0)
    }

    @Test("a deferred constraint that fails at the commit is the commit's error")
    func failsAtCommit() throws {
        let connection = try makeTable()
        try connection.execute("CREATE TABLE u (a int4 REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        let error = try error { try connection.transaction { _ = try $0.run("INSERT INTO u VALUES (9)") } }
        #expect(error.kind == .constraintViolation(constraint: "u_a_fkey"))
        #expect(connection.isIdle)
    }

    @Test("transactions do not nest")
    func nesting() throws {
        let connection = try makeTable()
        let error = try error { try connection.transaction { try $0.transaction { _ in } } }
        #expect(error.kind == .usage)
    }

    @Test("a snapshot sees one moment and refuses writes")
    func snapshot() throws {
        let connection = try makeTable()
        let other = try connection.sibling()
        try connection.transaction(.snapshot) { inner in
            #expect(try inner.count("t") == 0)
            try other.run("INSERT INTO t VALUES (1)")
            #expect(try inner.count("t") == 0)
        }
        let error = try error { try connection.transaction(.snapshot) { _ = try $0.run("INSERT INTO t VALUES (2)") } }
        #expect(error.kind == .readOnly)
    }

    @Test("two serializable transactions that read what the other writes: one fails and may be tried again")
    func serializable() throws {
        let connection = try makeTable()
        let other = try connection.sibling()
        let error = try error {
            try connection.transaction(.serializable) { first in
                _ = try first.count("t")
                try other.transaction(.serializable) { second in
                    _ = try second.count("t")
                    try second.run("INSERT INTO t VALUES (1)")
                }
                try first.run("INSERT INTO t VALUES (2)")
            }
        }
        #expect(error.kind == .serializationFailure)
        #expect(error.isTransient)
    }
}
