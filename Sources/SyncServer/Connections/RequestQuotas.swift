import FocusCore
import NIOConcurrencyHelpers

/// What devices have asked for lately, over all their connections (rule Q5). It is kept in memory: a restart begins
/// anew.
final class RequestQuotas: Sendable {
    private let tables: NIOLockedValueBox<[QuotaRequest: AllowanceTable<QuotaKey>]>

    init(_ limits: SessionLimits) {
        var tables: [QuotaRequest: AllowanceTable<QuotaKey>] = [:]
        for request in QuotaRequest.allCases { tables[request] = AllowanceTable(limits.allowance(of: request)) }
        self.tables = NIOLockedValueBox(tables)
    }

    /// Takes from the device's quota; see `RequestQuota`.
    func take(_ amount: Int, _ request: QuotaRequest, by device: QuotaKey, now: MonotonicTime) -> Int64? {
        tables.withLockedValue { tables in
            if let wait = tables[request]?.wait(for: amount, of: device, now: now) { return wait }
            tables[request]?.use(amount, by: device, now: now)
            return nil
        }
    }
}
