/// Finds out why something is as it is: folds a user's events from the first one on, and watches the rows that matter.
///
/// Flow: events in order → `apply` → `explanation`. Nothing is stored for this: the log holds it all.
public struct Inquiry: Sendable {
    /// How many of the latest events of the subject itself are remembered.
    public static let historyLimit = 50

    public let subject: ExplanationSubject
    private(set) var state: UserState
    private var seen: [RowKey: Row] = [:]
    /// The last event that changed each watched row.
    private var latest: [RowKey: Explanation.Cause] = [:]
    /// Events that changed or named the subject itself.
    private(set) var history: [Explanation.Cause] = []
    private var omitted = 0
    /// What a final alert rested on when it was decided (rule E6: nothing that comes later revises it).
    private var decided: Evidence?
    private var decidedAlert: AlertRow?

    /// What a decision rests on.
    struct Evidence: Sendable {
        var inputs: [Explanation.Input]
        var sources: [Explanation.Source]
        var causes: [Explanation.Cause]
    }

    public init(_ subject: ExplanationSubject, of user: UserID) {
        self.subject = subject
        state = UserState(user: user)
    }

    /// Folds the next event of the stream in; throws what `UserState.apply` throws.
    public mutating func apply(_ event: Event) throws(FoldError) {
        let own = Set(subject.ownKeys)
        let touched = Set(try state.apply(event)).filter { own.contains($0) || subject.mayRestOn($0) }
        let changes = touched.sorted().compactMap { change(of: $0) }
        let cause = Explanation.Cause(event, changes)
        for change in changes where change.kind != .remembered { latest[change.key] = cause }
        if subject.isNamed(by: event) || changes.contains(where: { own.contains($0.key) }) {
            history.append(cause)
            if history.count > Self.historyLimit {
                history.removeFirst()
                omitted += 1
            }
        }
        rememberDecision()
    }

    /// Remembers what an alert rests on when it is decided.
    private mutating func rememberDecision() {
        guard case .notification(let id, let app, let deviceClass) = subject else { return }
        let alert = state.alert(id, app, deviceClass)
        guard alert?.decision != decidedAlert?.decision || alert?.post != decidedAlert?.post else { return }
        decidedAlert = alert
        decided = evidence
    }

    /// What happened to the row since it was last seen; nil when nothing did. Remembers the row as the last one seen.
    private mutating func change(of key: RowKey) -> Explanation.Change? {
        let (old, new) = (seen[key], state.row(key))
        seen[key] = new
        guard old != new else { return nil }
        let isThere = { (row: Row?) in row.map { !$0.isDeleted } ?? false }
        switch (isThere(old), isThere(new)) {
        case (false, true): return Explanation.Change(key: key, kind: .added)
        case (true, false): return Explanation.Change(key: key, kind: .removed)
        case (false, false): return Explanation.Change(key: key, kind: .remembered)
        // An internal row has no value: its memo is what changes.
        case (true, true) where old?.value == new?.value && key.collection.isPublic:
            return Explanation.Change(key: key, kind: .remembered)
        case (true, true): return Explanation.Change(key: key, kind: .changed)
        }
    }

    /// The explanation as of the last event.
    public var explanation: Explanation {
        let verdict = verdict
        let evidence = verdict.isFinal ? decided ?? evidence : evidence
        let own = subject.ownKeys.compactMap(source)
        // Events that were dropped from the history, but are in the explanation as evidence: they are not omitted.
        let alsoInEvidence = evidence.causes.count { cause in
            guard let first = history.first, cause.version < first.version else { return false }
            return cause.changes.contains { change in subject.ownKeys.contains(change.key) }
        }
        let causes = Set(history + evidence.causes).sorted { $0.version < $1.version }
        let inputs = evidence.inputs.map { input in
            var input = input
            input.decided = verdict.deciding.contains(input.name)
            return input
        }
        return Explanation(
            subject: subject, version: state.version, decision: verdict.decision, rule: verdict.rule,
            sentence: verdict.sentence, inputs: inputs, sources: own + evidence.sources, causes: causes,
            omittedCauses: omitted - alsoInEvidence)
    }

    private var verdict: Verdict {
        switch subject {
        case .notification(let id, let app, let deviceClass): state.alertVerdict(id, app, deviceClass, history)
        case .focusVisibility(let app): state.visibilityVerdict(app)
        case .badge(let app, let deviceClass): state.badgeVerdict(app, deviceClass, history.last)
        case .preference(let key, let app): state.preferenceVerdict(key, app)
        }
    }

    private var evidence: Evidence {
        let (inputs, keys) =
            switch subject {
            case .notification(let id, let app, let deviceClass): state.alertEvidence(id, app, deviceClass)
            case .focusVisibility(let app): state.visibilityEvidence(app)
            case .badge(let app, let deviceClass): state.badgeEvidence(app, deviceClass)
            case .preference(let key, let app): state.preferenceEvidence(key, app)
            }
        return Evidence(
            inputs: inputs, sources: keys.compactMap(source), causes: Array(Set(keys.compactMap { latest[$0] })))
    }

    private func source(_ key: RowKey) -> Explanation.Source? {
        guard key.collection.isPublic, let row = state.row(key), !row.isDeleted else { return nil }
        return Explanation.Source(key: key, version: row.version, value: row.value)
    }
}

/// What was decided, and by which rule.
struct Verdict: Sendable {
    var decision: String
    var rule: String
    var sentence: String
    /// Names of the inputs that decided.
    var deciding: Set<String> = []
    /// True when it was decided once, so that it rests on what held then.
    var isFinal = false
}

extension Explanation.Cause {
    init(_ event: Event, _ changes: [Explanation.Change]) {
        self.init(
            version: event.version, event: event.id, type: event.body.type, app: event.app, device: event.device,
            occurredAt: event.occurredAt, recordedAt: event.recordedAt, changes: changes)
    }
}
