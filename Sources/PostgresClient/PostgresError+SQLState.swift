extension PostgresError.Kind {
    /// The one mapping from SQLSTATE (PostgreSQL manual, Appendix A) to what callers decide on.
    ///
    /// - Parameters:
    ///   - constraint: name of the violated constraint, as the server reports it.
    ///   - message: only tells a timeout from a cancellation, which share 57014; in a server that does not speak
    ///     English a timeout reads as `.cancelled`.
    ///   - isConnecting: the error ended an attempt to connect.
    init(sqlState: String, constraint: String? = nil, message: String = "", isConnecting: Bool = false) {
        self =
            switch sqlState {
            case "57P03": .shuttingDown
            case "53300": .tooManyConnections
            case _ where isConnecting: .cannotConnect
            // Administrator, crash, database dropped, idle timeouts; and an outcome the server itself does not know.
            case "57P01", "57P02", "57P04", "57P05", "25P03", "25P04", "40003": .connectionLost
            case "57014" where message.contains("timeout"): .timeout
            case "57014": .cancelled
            case "55P03": .lockNotAvailable
            case "40001", "40P01": .serializationFailure
            case "23505": .uniqueViolation(constraint: constraint ?? "")
            case _ where sqlState.hasPrefix("23"): .constraintViolation(constraint: constraint ?? "")
            case "42501": .insufficientPrivilege
            case "25006": .readOnly
            case "25P02": .transactionAborted
            case "P0001": .raised
            default: Self(sqlStateClass: sqlState.prefix(2))
            }
    }

    private init(sqlStateClass: Substring) {
        self =
            switch sqlStateClass {
            case "08": .connectionLost
            case "22": .invalidData
            case "42": .syntax
            case "53", "54": .insufficientResources
            default: .other
            }
    }
}
