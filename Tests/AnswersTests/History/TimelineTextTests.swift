import FocusCore
import Foundation
import Testing

@testable import Answers

/// The text that `focusctl timeline` prints.
@Suite struct TimelineTextTests {
    private let app = AppID("com.example.chat")!

    private func lines(_ value: [UInt8]?) -> [String] {
        let time = Timestamp(microseconds: 0)
        let event = Event(
            version: Version(1), device: DeviceID(UUID()), incarnation: Incarnation(1), sequence: DeviceSequence(1),
            id: EventID(UUID()), app: app, occurredAt: time, recordedAt: time, body: .badgeCleared)
        let key = RowKey(.focusVisibility, app: app)
        return Array(TimelineText.lines(event, [TimelineWatch.Change(key: key, after: value)]).dropFirst())
    }

    @Test("F3: what an app sees of the Focus is in words, also when that is nothing")
    func visibility() {
        for (isFocused, word) in [(true, "focused"), (false, "not focused"), (nil, "unavailable")] as [(Bool?, String)]
        {
            #expect(
                lines(FocusVisibilityRow(isFocused: isFocused).encoded)
                    == ["      → what com.example.chat sees of the Focus: \(word)"])
        }
        #expect(lines(nil) == ["      → what com.example.chat sees of the Focus: unavailable"])
    }
}
