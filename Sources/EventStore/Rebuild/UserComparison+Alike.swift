import FocusCore
import PostgresClient

extension UserComparison {
    /// The users after `first`, up to `last`, whose rows are the same in both generations, bit for bit, and of whom
    /// neither generation lacks an event. PostgreSQL compares the rows: after an ordinary rebuild nearly every user is
    /// alike, and reading their rows into this program takes far longer.
    func alike(
        after first: UserID, through last: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws(PostgresError) -> Set<UserID> {
        let range: [PostgresValue] = [.int4(partition.rawValue), .uuid(first.uuid), .uuid(last.uuid)]
        let settled = statement(Queries.findSettledUsers, over: "users", insteadOf: "users")
        let differing = RowCollection.allCases.map {
            statement(Queries.findDifferingUsers, over: $0.rawValue, insteadOf: "apps")
        }
        let results = try connection.pipeline(([settled] + differing).map { ($0, range) })
        var alike = try users(results[0])
        for result in results.dropFirst() where result.rowCount > 0 { alike.subtract(try users(result)) }
        return alike
    }

    private func users(_ result: PostgresResult) throws(PostgresError) -> Set<UserID> {
        var users: Set<UserID> = []
        for row in 0..<result.rowCount { users.insert(UserID(try result.uuid(row: row, column: 0))) }
        return users
    }

    /// Makes a statement about the table `standIn` into one about `table`. The statement names the two generations
    /// `target` and `shown`.
    private func statement(_ statement: Statement, over table: String, insteadOf standIn: String) -> Statement {
        var sql = statement.sql
        for (generation, part) in [(target, "target"), (shown, "shown")] {
            sql = sql.replacing("read_1.\(standIn) \(part)", with: "read_\(generation.number).\(table) \(part)")
        }
        return Statement(name: "\(statement.name)_\(target.number)_\(shown.number)_\(table)", sql: sql)
    }
}
