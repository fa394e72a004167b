import CLibPQ

/// Where libpq delivers notices of one connection.
final class NoticeBox {
    private let handler: (@Sendable (PostgresNotice) -> Void)?
    /// Set by the server's warning that a commit was not waited for on the standby; see `.replicationUnconfirmed`.
    var replicationUnconfirmed = false

    init(_ handler: (@Sendable (PostgresNotice) -> Void)?) { self.handler = handler }

    func install(on pointer: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(
            pointer,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeBox>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, context)
    }

    private func receive(_ result: OpaquePointer) {
        // Named by function because the text is translated (syncrep.c).
        if diagnostic(result, .sourceFunction) == "SyncRepWaitForLSN" { replicationUnconfirmed = true }
        handler?(
            PostgresNotice(
                severity: diagnostic(result, .severity) ?? "",
                sqlState: diagnostic(result, .sqlState) ?? "",
                message: diagnostic(result, .primaryMessage) ?? ""))
    }
}
