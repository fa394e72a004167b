import FocusSyncClient

/// Why a store asks the log about its events (rule P10).
enum RecallText {
    static func line(_ reason: IncarnationReason) -> String {
        "\(why(reason)) Asking the log which of the waiting events it has."
    }

    private static func why(_ reason: IncarnationReason) -> String {
        switch reason {
        case .conflict(let sequence):
            "The log has another event in place \(sequence): this store was restored from a backup, or copied."
        case .storeBehind(let logged, let known):
            "The log has events up to \(logged), this store made \(known): it was restored from a backup, or copied."
        case .ended:
            "The log takes no more events under this store's numbers: a copy of the store went on without them."
        case .displaced: "The log lost events that it had acknowledged, and has others in their places."
        case .otherLog: "The server has another log."
        }
    }
}
