import FocusCore
import Foundation
import Testing

@testable import Answers

/// The text that `focusctl state` prints.
@Suite struct StateTextTests {
    private let chat = AppID("com.example.chat")!
    private let run = AppID("com.example.run")!

    /// A user with two apps.
    private func state() throws -> UserState {
        var state = UserState(user: UserID(UUID()))
        for (index, app) in [chat, run].enumerated() {
            let time = Timestamp(microseconds: 0)
            _ = try state.apply(
                Event(
                    version: Version(Int64(index + 1)), device: DeviceID(UUID()), incarnation: Incarnation(1),
                    sequence: DeviceSequence(1), id: EventID(UUID()), app: app, occurredAt: time, recordedAt: time,
                    body: .appRegistered(AppRegistered(name: "App", build: 7))))
        }
        return state
    }

    @Test("Rows are ordered by key, and the version stands below them")
    func lines() throws {
        let lines = StateText.lines(try state(), of: nil)
        #expect(lines.first?.hasPrefix("COLLECTION") == true && lines.last == "version 2")
        let apps = lines.filter { $0.hasPrefix("apps ") }
        #expect(apps.map { $0.contains("com.example.chat") } == [true, false])
        #expect(StateText.lines(UserState(user: UserID(UUID())), of: nil) == ["no rows", "version 0"])
    }

    @Test("The state as one app sees it has its rows alone; scripts get an object for each")
    func ofApp() throws {
        let objects = try StateText.json(try state(), of: run).map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(!objects.isEmpty && objects.allSatisfy { $0["app"] as? String == "com.example.run" })
        let app = try #require(objects.first { $0["collection"] as? String == "apps" })
        #expect(app["version"] as? Int == 2 && app["value"] is [String: Any])
    }
}
