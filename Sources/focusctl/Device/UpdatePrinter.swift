import Answers
import FocusCore
import FocusSyncClient
import FocusWire
import NIOConcurrencyHelpers
import Programs

import struct FocusCore.Cursor

/// Shows what `focusctl sync` sees. Called on the client's queue.
final class UpdatePrinter: Sendable {
    private let isJSON: Bool
    /// Whether no rows are shown.
    private let isQuiet: Bool
    private let isFollowing: Bool
    private let diverged = NIOLockedValueBox(false)

    init(json: Bool, isQuiet: Bool, isFollowing: Bool) {
        isJSON = json
        self.isQuiet = isQuiet
        self.isFollowing = isFollowing
    }

    var hasDiverged: Bool { diverged.withLockedValue { $0 } }

    func show(_ update: SyncUpdate) {
        switch update {
        case .connected(let welcome):
            if isFollowing { Terminal.complain("connected, session \(welcome.session)") }
        case .rows(let changes, _, _):
            guard !isQuiet, !changes.isEmpty else { return }
            if isJSON {
                for change in changes { Terminal.line(Self.json(change)) }
            } else {
                Self.table(changes).forEach(Terminal.line)
            }
        case .acknowledged(let outcomes):
            for outcome in outcomes {
                guard case .refused(let code, let message) = outcome.verdict else { continue }
                Terminal.complain("event \(outcome.event) (\(outcome.type)) was refused: \(code): \(message)")
            }
        case .verified(let cursor): verified(cursor)
        case .diverged(let collections):
            diverged.withLockedValue { $0 = true }
            let names = collections.map(\.rawValue).joined(separator: ", ")
            Terminal.complain("Rows of \(names) differ from the server's; fetching them afresh.")
        case .appendsDelayed(let error, let milliseconds):
            Terminal.complain("\(error.code.rawValue): \(error.message) (again in \(milliseconds) ms)")
        case .serverError(let error): Terminal.complain("\(error.code.rawValue): \(error.message)")
        case .tokenExpires(let milliseconds):
            Terminal.complain("The token ends in \(milliseconds / 1_000) s.")
        case .recalling(let reason): Terminal.complain(RecallText.line(reason))
        case .recallWaits:
            Terminal.complain(
                "The server is too old to be asked which events it has. They wait in this store for a newer one.")
        case .recalled(let report):
            Terminal.complain(
                "The log has \(report.held) of the events that waited; sending the other \(report.moved) anew.")
        case .newIncarnation: Terminal.complain("The log and this store do not fit together; began a new incarnation.")
        case .healing(let logged, let acknowledged):
            Terminal.complain(
                "The log lost its tail: of this device it has events up to \(logged), and had \(acknowledged)."
                    + " Giving back what this store holds.")
        case .healed(let report): HealingText.lines(report).forEach(Terminal.complain)
        // The error that ends the client says so.
        case .erased, .stopped: break
        case .disconnected(let problem, let wait): Terminal.complain("\(problem) (connecting again in \(wait) ms)")
        }
    }

    private func verified(_ cursor: Cursor) {
        if isJSON {
            var json = JSONText()
            json.add("change", "verified")
            json.add("version", cursor.version.rawValue)
            Terminal.line(json.text)
        } else {
            Terminal.line("= version \(cursor.version), as the server has it")
        }
    }

    static func json(_ change: RowChange) -> String {
        var json = JSONText()
        json.add("change", change.after == nil ? "removed" : change.before == nil ? "added" : "changed")
        json.add("collection", change.key.collection.rawValue)
        json.add("app", change.key.app?.rawValue)
        json.add("key", change.key.key)
        json.add("version", change.version.rawValue)
        if let value = change.after { json.addRaw("value", RowText.json(change.key.collection, value)) }
        return json.text
    }

    static func table(_ changes: [RowChange]) -> [String] {
        var table = Table([])
        for change in changes {
            let mark = change.after == nil ? "-" : change.before == nil ? "+" : "~"
            table.add([
                mark, change.key.collection.rawValue, change.key.app?.rawValue ?? "", change.key.key,
                change.after.map { RowText.summary(change.key.collection, $0) } ?? "",
            ])
        }
        return Array(table.lines.dropFirst())
    }
}
