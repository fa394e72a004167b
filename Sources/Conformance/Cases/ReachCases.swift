import FocusCore
import Foundation

/// F6, V5: what somebody is told who asks whether a message would reach a user.
enum ReachCases {
    private static let quarter: Int64 = 15 * 60 * 1_000_000

    static let all: [ConformanceCase] = [
        ConformanceCase("F6", "who is in the audience learns whether a message would ring now, or until when it waits")
        {
            context in
            let asker = try await Asker(context)
            let sharing = try await Sharing.begin(context, with: [asker.user])
            try await asker.expect(.ringsNow, of: sharing.user, "while no Focus is on")
            let end = Timestamp(microseconds: (Timestamp.now.microseconds / quarter + 4) * quarter + 1)
            try await sharing.say(.focusChanged(FocusChanged(focusID: "work", isActive: true, endsAt: end)))
            let told = end.adding(microseconds: quarter - 1)
            try await asker.expect(.waits(atMost: told), of: sharing.user, "under a Focus until \(end.rfc3339)")
            try await sharing.say(.focusChanged(FocusChanged(focusID: "work", isActive: false)))
            try await asker.expect(.ringsNow, of: sharing.user, "after the Focus")
        },
        ConformanceCase("F6", "a Focus lets a communication through for its sender's sake, and nobody else's") {
            context in
            let (asker, other) = (try await Asker(context), try await Asker(context))
            let sharing = try await Sharing.begin(context, with: [asker.user, other.user])
            let focus = FocusConfigured(focusID: "work", name: "Work", allowedPeople: ["\(asker.user)"])
            try await sharing.say(.focusConfigured(focus))
            try await sharing.focus(true)
            try await asker.expect(.untold, of: sharing.user, "for what is no communication")
            try await asker.expect(.ringsNow, of: sharing.user, communication: true, "for whom the Focus allows")
            try await other.expect(.untold, of: sharing.user, communication: true, "for whom it does not allow")
        },
        ConformanceCase("F6", "silence, and a Focus that is not shared, show to nobody; strangers learn nothing") {
            context in
            let (asker, stranger) = (try await Asker(context), try await Asker(context))
            let sharing = try await Sharing.begin(context, with: [asker.user])
            try await sharing.say(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)))
            try await sharing.say(
                .focusConfigured(FocusConfigured(focusID: "own", name: "Own", sharesStatus: false)))
            try await sharing.say(.focusChanged(FocusChanged(focusID: "own", isActive: true)))
            try await asker.expect(.ringsNow, of: sharing.user, "although Focus and silence are not shared")
            let off = try await Sharing.begin(context, with: [stranger.user], isPermitted: false)
            for user in [sharing.user, off.user, UserID(UUID()), stranger.user] {
                let answer = try await stranger.ask(user)
                try expect(
                    answer == Fetched(request: answer.request, version: .zero, .reach(.untold)),
                    "a stranger is answered \(answer)")
            }
        },
        ConformanceCase("F6", "an app asks of itself alone") { context in
            guard let mail = AppID("mail") else { return }
            let asker = try await Asker(context)
            let error = try await asker.error(ReachQuestion(user: UserID(UUID()), app: mail))
            try expect(error.code == .notFound, "another app than the session's is \(error.code.rawValue)")
        },
        ConformanceCase("V5", "the same question has one answer a minute", isLong: true) { context in
            let asker = try await Asker(context)
            let sharing = try await Sharing.begin(context, with: [asker.user])
            try await asker.expect(.ringsNow, of: sharing.user, "while no Focus is on")
            let clock = ContinuousClock()
            // That answer may have been given a moment before it was heard.
            let begin = clock.now
            let hour = Timestamp.now.adding(microseconds: 3_600_000_000)
            try await sharing.say(.appMuted(AppMuted(until: hour)), app: Sharing.app)
            while (clock.now - begin).inSeconds < 50 {
                let answer = try await asker.ask(sharing.user)
                // A loaded machine may take long to answer.
                guard (clock.now - begin).inSeconds < 55 else { break }
                try expect(
                    answer.answer == .reach(.ringsNow), "another answer after \((clock.now - begin).inSeconds) s")
                try await Task.sleep(for: .seconds(2))
            }
            try await Task.sleep(for: .seconds(max(0, 62 - (clock.now - begin).inSeconds)))
            try await asker.expect(.untold, of: sharing.user, "for a muted app, a minute later")
        },
    ]
}

/// A user in a session of the app that `Sharing` shares in, who would write to others. For one task.
private final class Asker {
    let user: UserID
    private let connection: RawConnection
    private var last: UInt64 = 0

    init(_ context: CaseContext) async throws {
        var device = Device.ofNewUser()
        if let app = Sharing.appID { device.scope = .app(app) }
        user = device.user
        connection = try await context.open(device).connection
    }

    func ask(_ user: UserID, communication: Bool = false) async throws -> Fetched {
        guard let app = Sharing.appID else { throw CaseFailure("the suite's app has no name") }
        let id = try await send(ReachQuestion(user: user, app: app, isCommunication: communication))
        return try await connection.first("Fetched") { message in
            if case .error(let error) = message { throw CaseFailure("Error \(error.code.rawValue) to a Fetch") }
            guard case .fetched(let fetched) = message, fetched.request == id else { return nil }
            return fetched
        }
    }

    func error(_ question: ReachQuestion) async throws -> ProtocolError {
        let id = try await send(question)
        return try await connection.first("Error") { message in
            if case .error(let error) = message, error.request == id { error } else { nil }
        }
    }

    private func send(_ question: ReachQuestion) async throws -> UInt64 {
        last += 1
        try await connection.send(.fetch(FetchRequest(id: last, .reach(question))))
        return last
    }

    /// Asks until the answer is this one: the asker's server may learn of it a moment later.
    func expect(_ reach: Reach, of user: UserID, communication: Bool = false, _ when: String) async throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(connection.patience))
        var answer = try await ask(user, communication: communication)
        while answer.answer != .reach(reach), clock.now < end {
            try await Task.sleep(for: .milliseconds(150))
            answer = try await ask(user, communication: communication)
        }
        guard answer.answer == .reach(reach), answer.version == .zero else {
            throw CaseFailure("\(answer.answer) instead of \(reach) \(when)")
        }
    }
}
