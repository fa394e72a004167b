import Testing

@testable import FocusCore

extension Stage {
    /// The explanation of a subject, from the log alone.
    func why(_ subject: ExplanationSubject) -> Explanation {
        var inquiry = Inquiry(subject, of: state.user)
        for event in events {
            do { try inquiry.apply(event) } catch { Issue.record("the fold threw \(error)") }
        }
        return inquiry.explanation
    }

    func whyAlert(_ id: String, on deviceClass: DeviceClass = .phone) -> Explanation {
        why(.notification(id, .chat, deviceClass))
    }
}

extension Explanation {
    subscript(name: String) -> String? { inputs.first { $0.name == name }?.value }
    var deciding: Set<String> { Set(inputs.filter(\.decided).map(\.name)) }
    var types: [EventType] { causes.map(\.type) }
}
