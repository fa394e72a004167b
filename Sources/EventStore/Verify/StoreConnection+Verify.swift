import FocusCore
import Foundation

extension StoreConnection {
    /// A user of the partition: the one that follows a random id, so every user may come. Nil when it has none.
    public func anyUser(of head: PartitionHead) throws -> UserID? {
        try performOnPostgres { connection in
            let survey = UserSurvey(page: 1)
            return try survey.users(of: head, after: UserID(UUID()), on: connection).first
                ?? survey.users(of: head, after: nil, on: connection).first
        }
    }

    /// Folds a user afresh and compares (`UserVerifier`).
    public func verify(_ user: UserID, in partition: Partition) throws -> UserVerification {
        try performOnPostgres {
            try UserVerifier(keptRows: 10, rules: configuration.rules, isStopping: isStopping)
                .verify(user, in: partition, on: $0)
        }
    }
}
