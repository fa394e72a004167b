import Foundation
import PostgresClient
import Support
import Testing

/// Cancellation, timeouts, notifications and lost connections.
@Suite struct PostgresInterruptionTests {
    /// Runs `act` on a thread of its own as soon as `victim` executes a statement.
    private func whileBusy(
        _ victim: PostgresConnection, _ act: @escaping @Sendable (PostgresConnection, Int32) throws -> Void
    ) throws -> PostgresThread {
        let configuration = PostgresConfiguration(conninfo: victim.configuration.conninfo)
        let pid = victim.backendPID
        return try PostgresThread(name: "interrupter") {
            do {
                let observer = try PostgresConnection(configuration)
                try eventually("the victim sleeps") {
                    try observer.run(
                        "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", .int4(pid)
                    ).rowCount == 1
                }
                try act(observer, pid)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("another thread cancels a statement; the connection goes on")
    func cancels() throws {
        let connection = try makeConnection()
        let cancellation = connection.cancellation
        let thread = try whileBusy(connection) { _, _ in #expect(cancellation.cancel()) }
        #expect(try error { try connection.run("SELECT pg_sleep(600)") }.kind == .cancelled)
        thread.join()
        #expect(try connection.run("SELECT 1").rowCount == 1)
        connection.close()
        #expect(!cancellation.cancel(), "there is nothing to cancel any more")
    }

    @Test("the statement timeout strikes and is told from a cancellation")
    func statementTimeout() throws {
        let connection = try makeConnection {
            $0.statementTimeoutMilliseconds = 50
            // Long enough that only the statement timeout can strike, however late the server reports it.
            $0.silenceTimeoutMilliseconds = 120_000
        }
        let error = try error { try connection.run("SELECT pg_sleep(600)") }
        #expect(error.kind == .timeout)
        #expect(!error.outcomeIsUnknown)
        #expect(connection.isIdle)
    }

    @Test("a server that says nothing is given up, and the outcome is in doubt")
    func silence() throws {
        let connection = try makeConnection { $0.silenceTimeoutMilliseconds = 100 }
        let error = try error { try connection.run("SELECT pg_sleep(600)") }
        #expect(error.kind == .connectionLost)
        #expect(error.outcomeIsUnknown)
        #expect(!connection.isUsable)
    }

    @Test("an interrupt ends a statement that is under way, and keeps every later one from waiting")
    func interrupted() throws {
        let interrupt = PostgresInterrupt()
        let connection = try makeConnection { $0.interrupt = interrupt }
        let thread = try whileBusy(connection) { _, _ in interrupt.raise() }
        let lost = try error { try connection.run("SELECT pg_sleep(600)") }
        thread.join()
        #expect(lost.kind == .connectionLost && lost.outcomeIsUnknown)
        #expect(connection.isAbandoned && !connection.isUsable)
        #expect(try error { _ = try connection.sibling() }.kind == .connectionLost)
    }

    @Test("an interrupt ends an attempt to connect to a server that says nothing; asking it to cancel blocks nobody")
    func silentServer() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(directory)/.s.PGSQL.5432".utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(server, 8) == 0)
        var configuration = PostgresConfiguration(conninfo: "host=\(directory) user=nobody dbname=none")
        configuration.connectTimeout = 600
        let interrupt = PostgresInterrupt()
        configuration.interrupt = interrupt
        var waits = 0
        let lost = try error {
            _ = try PostgresConnection(configuration) {
                waits += 1
                if waits == 3 { interrupt.raise() }
            }
        }
        #expect(lost.kind == .connectionLost && waits == 3)
    }

    @Test("a connection that waits calls back again and again")
    func whileWaiting() throws {
        let connection = try makeConnection()
        var waits = 0
        connection.whileWaiting = { waits += 1 }
        try connection.run("SELECT pg_sleep(0.5)")
        #expect(waits > 0)
    }

    @Test("a cancellation that is asked for without waiting reaches the statement")
    func requested() throws {
        let connection = try makeConnection()
        let cancellation = connection.cancellation
        let thread = try whileBusy(connection) { _, _ in cancellation.request() }
        #expect(try error { try connection.run("SELECT pg_sleep(600)") }.kind == .cancelled)
        thread.join()
    }

    @Test("where writes are needed, a read-only server is not connected to")
    func readOnly() throws {
        let owner = try makeConnection()
        let name = try owner.run("SELECT current_database()::text").text(row: 0, column: 0)
        try owner.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        _ = try owner.sibling()
        #expect(try error { _ = try owner.sibling { $0.requiresWrites = true } }.kind == .cannotConnect)
        let wins = try owner.sibling {
            $0.requiresWrites = true
            $0.conninfo += " target_session_attrs=any"
        }
        #expect(wins.isUsable)
    }

    @Test("a connection that the server ends during a statement is lost")
    func terminatedWhileBusy() throws {
        let connection = try makeConnection()
        let thread = try whileBusy(connection) { try $0.run("SELECT pg_terminate_backend($1)", .int4($1)) }
        let error = try error { try connection.run("SELECT pg_sleep(600)") }
        thread.join()
        #expect(error.kind == .connectionLost)
        #expect(error.sqlState == "57P01")
        #expect(error.outcomeIsUnknown)
        #expect(!connection.isUsable)
    }

    @Test("a connection that the server ended while idle is noticed by a statement, a pipeline and a COPY")
    func terminatedWhileIdle() throws {
        let observer = try makeConnection()
        func dead() throws -> PostgresConnection {
            let connection = try observer.sibling()
            try observer.run("SELECT pg_terminate_backend($1, 60000)", .int4(connection.backendPID))
            return connection
        }
        let select = Statement(name: "select", sql: "SELECT 1")
        let queried = try dead()
        #expect(try error { try queried.query(select) }.kind == .connectionLost)
        #expect(!queried.isUsable)
        let piped = try dead()
        #expect(try error { _ = try piped.pipeline([(select, []), (select, [])]) }.kind == .connectionLost)
        #expect(!piped.isUsable)
        let copied = try dead()
        let copy = Statement(name: "copy", sql: "COPY (SELECT 1) TO STDOUT")
        #expect(try error { try copied.copyOut(copy) { _ in } }.kind == .connectionLost)
        #expect(!copied.isUsable)
    }

    @Test("a connection that dies in the middle of a transaction, a pipeline or a COPY in is lost")
    func terminatedInTheMiddle() throws {
        let observer = try makeConnection()
        try observer.execute("CREATE TABLE t (a int4)")
        func end(_ connection: PostgresConnection) throws {
            try observer.run("SELECT pg_terminate_backend($1, 60000)", .int4(connection.backendPID))
        }
        let first = try observer.sibling()
        let inTransaction = try error {
            try first.transaction { inner in
                try inner.run("INSERT INTO t VALUES (1)")
                try end(inner)
            }
        }
        #expect(inTransaction.kind == .connectionLost)
        let second = try observer.sibling()
        let inCopy = try error {
            try second.copyIn(Statement(name: "in", sql: "COPY t FROM STDIN (FORMAT binary)")) { writer in
                for index in Int32(0)..<200_000 {
                    if index == 1000 { try end(second) }
                    try writer.row([.int4(index)])
                }
            }
        }
        #expect(inCopy.kind == .connectionLost)
        let third = try observer.sibling()
        let suicide = Statement(name: "suicide", sql: "SELECT pg_terminate_backend(pg_backend_pid())")
        let insert = Statement(name: "insert", sql: "INSERT INTO t VALUES (2)")
        let inPipeline = try error { _ = try third.pipeline([(insert, []), (suicide, []), (insert, [])]) }
        #expect(inPipeline.kind == .connectionLost)
        #expect(![first, second, third].contains { $0.isUsable })
        #expect(try observer.count("t") == 0)
    }

    @Test("notifications arrive, several at once, and a wait without any ends")
    func notifications() throws {
        let listener = try makeConnection()
        let sender = try listener.sibling()
        try listener.execute("LISTEN news")
        #expect(try listener.waitForNotifications(timeoutMilliseconds: 0).isEmpty)
        #expect(try listener.waitForNotifications(timeoutMilliseconds: 20).isEmpty)
        try sender.transaction { _ in try sender.execute("NOTIFY news, 'a'; NOTIFY news, 'b'") }
        var heard: [PostgresNotification] = []
        try eventually("both arrive") {
            heard += try listener.waitForNotifications(timeoutMilliseconds: 1000)
            return heard.count == 2
        }
        #expect(heard.map(\.payload) == ["a", "b"])
        #expect(heard.allSatisfy { $0.channel == "news" && $0.senderPID == sender.backendPID })
        // A notification that arrives with the answer to a statement is kept for the next wait.
        try sender.execute("NOTIFY news, 'c'")
        try listener.run("SELECT 1")
        #expect(try listener.waitForNotifications(timeoutMilliseconds: 60_000).map(\.payload) == ["c"])
    }

    @Test("a listener whose connection dies is told so")
    func listenerLost() throws {
        let listener = try makeConnection()
        let other = try listener.sibling()
        try listener.execute("LISTEN news")
        try other.run("SELECT pg_terminate_backend($1)", .int4(listener.backendPID))
        let error = try error {
            for _ in 0..<3 { _ = try listener.waitForNotifications(timeoutMilliseconds: 60_000) }
        }
        #expect(error.kind == .connectionLost)
        #expect(!listener.isUsable)
    }
}
