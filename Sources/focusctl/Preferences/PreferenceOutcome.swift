import FocusCore
import FocusSyncClient
import Programs

/// What became of an event about preferences.
enum PreferenceOutcome {
    /// The user's version at which the last event is durable. Throws when that event was refused.
    static func version(_ outcomes: [AppendOutcome], _ app: AppID) throws -> Version {
        guard let outcome = outcomes.last else { throw CommandFailure("There was nothing to append.") }
        switch outcome.verdict {
        case .accepted: return outcome.version
        case .refused(let code, let message):
            throw CommandFailure("\(outcome.type) of \(app) was refused: \(code): \(message)")
        }
    }
}
