import FocusCore
import NIOConcurrencyHelpers

/// What devices have asked for lately, over all their connections (rule Q5). It is kept in memory: a restart begins
/// anew.
final class RequestQuotas: Sendable {
    private struct State {
        var tables: [QuotaRequest: AllowanceTable<QuotaKey>] = [:]
        /// How many requests were past a quota.
        var refused: [QuotaRequest: Int] = [:]
    }

    private let state: NIOLockedValueBox<State>

    /// How many requests were past a quota, of each kind, since the server started.
    var refused: [QuotaRequest: Int] { state.withLockedValue { $0.refused } }

    init(_ limits: SessionLimits) {
        var new = State()
        for request in QuotaRequest.allCases { new.tables[request] = AllowanceTable(limits.allowance(of: request)) }
        state = NIOLockedValueBox(new)
    }

    /// Takes from the device's quota; see `RequestQuota`.
    func take(_ amount: Int, _ request: QuotaRequest, by device: QuotaKey, now: MonotonicTime) -> Int64? {
        state.withLockedValue { state in
            if let wait = state.tables[request]?.wait(for: amount, of: device, now: now) {
                state.refused[request, default: 0] += 1
                return wait
            }
            state.tables[request]?.use(amount, by: device, now: now)
            return nil
        }
    }
}
