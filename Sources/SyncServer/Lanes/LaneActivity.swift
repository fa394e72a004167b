import EventStore
import FocusCore
import Foundation

/// What a session reports of its device (rule L6).
enum ActivityReport: Hashable, Sendable {
    /// With the app in front, if it names one.
    case inUse(AppID?)
    case outOfUse
}

/// What sessions report of their devices' use, until it is logged or says nothing new (rules L6, N18).
///
/// Flow: report → its user is in memory → an event, if it is news → the log. Of each session the last report counts.
/// What is lost on the way, because the database refuses it, comes again with the next report, or runs out by itself.
final class LaneActivity {
    private struct Pending {
        var user: UserID
        var device: DeviceID
        var scope: Scope
        var deviceClass: DeviceClass
        var report: ActivityReport
    }

    private struct Staged {
        var pending: Pending
        var partition: Partition
        /// The report's time; nil for an end.
        var reportedAt: Timestamp?
    }

    private let format: LogFormat
    private var pending: [UInt64: Pending] = [:]
    /// What was logged of each session and has not ended: the report's time, which its end names.
    private var logged: [UInt64: (reporter: Pending, at: Timestamp)] = [:]
    private var staged: [UInt64: Staged] = [:]
    private var quota: AllowanceTable<Reporter>

    /// What is counted apart, so that no app uses up what its device's system session may report.
    private struct Reporter: Hashable {
        var user: UserID
        var device: DeviceID
        var scope: Scope
    }

    init(_ format: LogFormat, perHour: Int) {
        self.format = format
        quota = AllowanceTable(Allowance(perHour, milliseconds: 3_600_000))
    }

    var isEmpty: Bool { pending.isEmpty }

    /// The users whom what waits is about.
    var users: Set<UserID> { Set(pending.values.map(\.user)) }

    func report(_ report: ActivityReport, of session: LaneSession) {
        guard format.allows(.deviceActivity) else { return }
        let identity = session.identity
        pending[session.handle.id] = Pending(
            user: identity.user, device: identity.device, scope: identity.scope,
            deviceClass: session.subscription.view.deviceClass, report: report)
    }

    /// The session has ended, and with it what it reported.
    func closed(_ session: UInt64) {
        guard var reporter = logged[session]?.reporter ?? staged[session]?.pending else {
            pending[session] = nil
            return
        }
        reporter.report = .outOfUse
        pending[session] = reporter
    }

    // MARK: Staging

    /// Stages what is news of users in memory, in partitions that the statement is for.
    func stage(
        into staging: inout AppendStaging, _ users: LaneUsers, _ configuration: LaneConfiguration, now: MonotonicTime
    ) {
        // A statement that threw settled nothing.
        putBack(staged)
        staged = [:]
        for (session, report) in pending.sorted(by: { $0.key < $1.key }) {
            guard let user = users[report.user] else {
                if users.resident.isQuarantined(report.user) {
                    pending[session] = nil
                    // The end is not told any more: what was logged of the session runs out by itself.
                    if report.report == .outOfUse { logged[session] = nil }
                }
                continue
            }
            guard staging.carries(user.partition), !staging.isUnfolded(user.id),
                staging.hasRoomForDue(configuration)
            else { continue }
            pending[session] = nil
            let time = staging.recordingTime(of: user.partition)
            guard let body = body(report, of: session, user.state, at: time, now: now) else { continue }
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: time, recordedAt: time, body: body)
            let isEnd = body.type == .deviceActivityEnded
            guard user.state.validate(event, scope: .system) == nil else {
                if isEnd { logged[session] = nil }
                continue
            }
            do {
                try staging.record(event, LoggedPayload(event.body), user)
            } catch {
                users.quarantine(user.id, error)
                if isEnd { logged[session] = nil }
                continue
            }
            staged[session] = Staged(pending: report, partition: user.partition, reportedAt: isEnd ? nil : time)
        }
    }

    /// Takes up what became of what was staged. What another server's append outran is staged again.
    func settle(_ report: CommitReport) {
        putBack(staged.filter { report.behind.contains($0.value.partition) })
        for (session, staged) in staged where !report.behind.contains(staged.partition) {
            guard let time = staged.reportedAt else {
                logged[session] = nil
                continue
            }
            if report.isLogged(staged.partition) { logged[session] = (staged.pending, time) }
        }
        staged = [:]
    }

    private func putBack(_ again: [UInt64: Staged]) {
        for (session, staged) in again where pending[session] == nil { pending[session] = staged.pending }
    }

    /// What the log is to say of the report; nil: nothing that it does not say already.
    private func body(
        _ report: Pending, of session: UInt64, _ state: borrowing UserState, at time: Timestamp, now: MonotonicTime
    ) -> EventBody? {
        guard case .inUse(let app) = report.report else {
            // Until its end is logged too, what was logged stays known: another server may append first.
            let end = end(session, report, state)
            if end == nil { logged[session] = nil }
            return end
        }
        let activity = DeviceActivity(
            device: report.device, scope: report.scope, deviceClass: report.deviceClass,
            app: app.flatMap(state.alerting))
        guard logged[session] == nil || state.isNews(activity, at: time) else { return nil }
        let reporter = Reporter(user: report.user, device: report.device, scope: report.scope)
        // What was logged is not right any more, and nobody may be kept from hearing an alert by that.
        guard quota.wait(for: 1, of: reporter, now: now) == nil else { return end(session, report, state) }
        quota.use(1, by: reporter, now: now)
        return .deviceActivity(activity)
    }

    private func end(_ session: UInt64, _ report: Pending, _ state: borrowing UserState) -> EventBody? {
        guard let at = logged[session]?.at, state.lastActivity(of: report.device, report.scope) == at else {
            return nil
        }
        return .deviceActivityEnded(DeviceActivityEnded(device: report.device, scope: report.scope, reportedAt: at))
    }
}
