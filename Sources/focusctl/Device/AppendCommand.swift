import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl append`.
struct AppendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Append events from standard input, one JSON object per line.",
        discussion: """
            A line: {"type":"focus.changed","app":"com.example.chat",
                     "occurredAt":"2026-01-01T09:00:00Z","payload":{…}}
            app only for events of an app. occurredAt (or microseconds since
            1970) only when it is not now. payload is proto3 JSON; see
            Schema/README.md.

            Each event is kept in --state before it is sent: what an interrupted
            run leaves is sent, once, by the next. One line of JSON on standard
            output for each event once the log has it:
              {"line":1,"seq":1,"eventId":"…","type":"…",
               "status":"accepted","version":17}
              {"line":2,"seq":2,"eventId":"…","type":"…","status":"refused",
               "code":"app_unknown","message":"…","version":18}
            and at once for a line that is no event; the others are sent:
              {"line":3,"status":"malformed","message":"…"}
            Events of an earlier run have no line, but "resent":true. version is
            the user's when the event was durable.

            Examples:
              focusctl append --plaintext --token-file token < events.ndjson
              echo '{"type":"badge.cleared","app":"com.example.chat"}' |
                focusctl append --plaintext --token-file token

            Exit codes: 0 every line is in the log, also when it was refused (a
            refusal is a fact of the log; --strict makes it 1); 1 a line was
            malformed or could not be sent; 2 usage; 3 integrity.
            """)

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "End with 1 when an event was refused.")
    var strict = false

    /// How many batches wait for their answers: enough to keep the connection busy.
    private static let window = 8

    func run() async throws {
        let client = try connection.makeClient()
        let report = AppendReport()
        var input = StandardInput()
        do {
            try await appendAll(&input, client, report)
        } catch {
            await client.close()
            report.complainOfUnread(await input.nextNumber())
            report.complainOfUnsent(try? client.store.queued().count)
            throw error
        }
        await client.close()
        if report.malformed > 0 { throw CommandFailure("\(report.malformed) lines were no events.") }
        if strict, report.refused > 0 { throw CommandFailure("\(report.refused) events were refused.") }
    }

    private func appendAll(
        _ input: inout StandardInput, _ client: SyncClient, _ report: AppendReport
    ) async throws {
        var waiting: [(Submission, [Int])] = []
        let earlier = try await client.submitQueued()
        if !earlier.events.isEmpty { waiting.append((earlier, [])) }
        while let lines = try await input.next() {
            var drafts: [EventDraft] = []
            var numbers: [Int] = []
            for line in lines where !line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
                do {
                    drafts.append(try EventLine.draft(line.bytes))
                    numbers.append(line.number)
                } catch {
                    report.malformed(line.number, error)
                }
            }
            guard !drafts.isEmpty else { continue }
            report.unqueued = numbers.first
            waiting.append((try await submit(drafts, to: client, after: &waiting, report), numbers))
            report.unqueued = nil
            // While there is more to read, the window keeps the connection busy. When there is not, somebody waits for
            // the answers.
            while waiting.count > (input.hasMore ? Self.window : 0) {
                try await report.answer(waiting.removeFirst())
            }
        }
        for next in waiting { try await report.answer(next) }
    }

    /// Queues a batch. When the queue is full (an earlier run left events, or payloads are large), it first waits for
    /// answers, which make room.
    private func submit(
        _ drafts: [EventDraft], to client: SyncClient, after waiting: inout [(Submission, [Int])],
        _ report: AppendReport
    ) async throws -> Submission {
        while true {
            do {
                return try await client.submit(drafts)
            } catch DeviceStoreError.queueFull where !waiting.isEmpty {
                try await report.answer(waiting.removeFirst())
            }
        }
    }
}
