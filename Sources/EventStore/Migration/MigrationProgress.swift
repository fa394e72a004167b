/// What a migrator is doing, told while it does it.
public enum MigrationProgress: Sendable, Hashable, CustomStringConvertible {
    /// Another program applies this migration, whose statements run outside of a transaction. It is waited for.
    case waiting(Migration)
    /// Somebody else's transaction holds a lock that this migration needs, or what follows the last one (nil). It is
    /// given up and tried again.
    case locked(Migration?)
    /// A statement begins that runs outside of a transaction: which of the migration's, from 1, and how many it has.
    case statement(Migration, number: Int, of: Int)
    /// What PostgreSQL says of the index that such a statement builds: the phase, in the words of
    /// `pg_stat_progress_create_index`, and how much of the phase is done; nil where PostgreSQL does not say.
    case building(Migration, phase: String, percent: Int32?)
    /// The migration is recorded.
    case applied(Migration)

    public var description: String {
        switch self {
        case .waiting(let migration): "another program applies \(migration), waiting for it"
        case .locked(let migration):
            "\(migration.map(\.description) ?? "the last step") needs what another transaction uses, trying again"
        case .statement(let migration, let number, let count): "applying \(migration), statement \(number) of \(count)"
        case .building(let migration, let phase, let percent):
            "applying \(migration), \(phase)\(percent.map { ", \($0) %" } ?? "")"
        case .applied(let migration): "applied \(migration)"
        }
    }
}
