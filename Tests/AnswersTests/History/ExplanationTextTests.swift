import FocusCore
import Foundation
import Testing

@testable import Answers

/// The text that `focusctl explain` prints.
@Suite struct ExplanationTextTests {
    private let app = AppID("com.example.chat")!

    /// The explanation for an app that is registered and authorized, and that has posted `posts` notifications.
    private func explanation(posts: Int, _ subject: ExplanationSubject) throws -> Explanation {
        var inquiry = Inquiry(subject, of: UserID(UUID()))
        let device = DeviceID(UUID())
        let bodies: [EventBody] =
            [
                .appRegistered(AppRegistered(name: "Chat", build: 1)),
                .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)),
            ]
            + (0..<posts).map {
                .notificationPosted(NotificationPosted(notificationID: "n\($0)", body: "b", level: .passive))
            }
        for (index, body) in bodies.enumerated() {
            let time = Timestamp(microseconds: Int64(index) * 1_000_000)
            try inquiry.apply(
                Event(
                    version: Version(Int64(index + 1)), device: device, incarnation: Incarnation(1),
                    sequence: DeviceSequence(Int64(index + 1)), id: EventID(UUID()), app: app, occurredAt: time,
                    recordedAt: time, body: body))
        }
        return inquiry.explanation
    }

    @Test("N9.1: people read the decision, the rule, what decided, and each event's version and effect")
    func text() throws {
        let lines = ExplanationText.lines(try explanation(posts: 1, .notification("n0", app, .phone)))
        #expect(lines[0] == "alert of n0 of com.example.chat on the phone: none")
        #expect(lines[1] == "N9.1: Its level is passive: it is in the list only.")
        #expect(lines.filter { $0.hasPrefix("→") } == ["→  level              passive"])
        let post = try #require(lines.first { $0.contains("notification.posted") })
        #expect(post.hasPrefix("3  ") && post.contains("1970-01-01T00:00:02.000000Z"))
        #expect(post.hasSuffix("added alerts com.example.chat/n0, added notifications com.example.chat/n0"))
        #expect(lines.last == "as of version 3")
    }

    @Test("B1: of a long list people see a part, and how much is left out; scripts get all of it")
    func long() throws {
        let explanation = try explanation(posts: 60, .badge(app, .phone))
        let lines = ExplanationText.lines(explanation)
        #expect(lines.count < 70 && lines.contains { $0.hasPrefix("… and 43 rows") })
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(ExplanationText.json(explanation).utf8)) as? [String: Any])
        #expect(json["decision"] as? String == "60" && json["rule"] as? String == "B1")
        let rows = try #require(json["rows"] as? [[String: Any]])
        #expect(rows.count { $0["collection"] as? String == "notifications" } == 60)
        let events = try #require(json["events"] as? [[String: Any]])
        #expect(events.compactMap { $0["version"] as? Int } == Array(1...62))
        #expect(json["omittedEvents"] as? Int == 0 && lines.contains("… and 42 earlier events"))
        let inputs = try #require(json["inputs"] as? [[String: Any]])
        #expect(inputs.filter { $0["decided"] as? Bool == true }.map { $0["name"] as? String } == ["unread"])
    }
}
