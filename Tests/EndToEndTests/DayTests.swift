import FocusSyncClient
import Foundation
import Support
import Testing

/// The day that `ops/run` plays on the server it has started.
@Suite("The day of ops/run", .fewAtATime) struct DayTests {
    /// In `ops/test --thorough` alone: it waits for a summary's full minute, and for half a minute between two rings.
    private static let isThorough = ProcessInfo.processInfo.environment["FOCUS_ROUNDS"] != nil

    @Test(
        "It plays to its end: every device and app gets what it is to, and their digests agree",
        .enabled(if: isThorough))
    func plays() async throws {
        let server = try await FocusdProcess()
        let work = "\(server.directory)/day"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        let day = try ChildProcess(
            "/usr/bin/env",
            [
                "PYTHONDONTWRITEBYTECODE=1", "python3", "-u", Checkout.file("ops/day.py").path,
                FocusdProcess.binary("focusctl"), server.address.description, server.directory, work,
            ])
        let told = await day.rest()
        #expect(await day.exitCode() == 0, "\(told.suffix(400))")
        #expect(told.contains("Chat   Chat hears what was done with “Standup?”: snooze"))
        let reply = "hears what was done with “Pizza?”: reply, “With olives”"
        #expect(told.components(separatedBy: reply).count == 2, "N20: Chat alone hears it, and once")
        #expect(told.contains("Chat “Report?” rings on the device in use, and not here"))
        #expect(told.contains("Chat “Coffee?” rings here too, as nobody has read it in 30 s"))
        #expect(told.contains("Mail “Newsletter” rings: the summary is here"))
        #expect(await server.terminate())
    }
}
