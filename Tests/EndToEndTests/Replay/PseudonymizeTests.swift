import EventStore
import FocusCore
import Foundation
import Testing

@Suite("focusctl replay --pseudonymize", .fewAtATime) struct PseudonymizeTests {
    @Test("An export has no id of a user or device and no handle; the same key gives the same names, in every format")
    func export() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let key = "\(log.directory)/export.key"
        try String(repeating: "5a", count: 32).write(toFile: key, atomically: true, encoding: .utf8)
        let events = try await log.events()
        var secret: Set<String> = []
        for event in events {
            secret.insert(event.user.description)
            if event.device != .server { secret.insert(event.device.description) }
            guard case .interactionDonated(let interaction) = try event.decoded().body,
                case .sendMessage(let message) = interaction.intent
            else { continue }
            secret.insert(message.conversationID)
            for person in message.recipients + (message.sender.map { [$0] } ?? []) {
                secret.insert(person.handle)
                if let name = person.displayName { secret.insert("\"displayName\":\"\(name)\"") }
            }
        }
        #expect(secret.count > 20)
        let plain = try await log.run(["replay"])
        let hidden = try await log.run(["replay", "--pseudonymize", key])
        #expect(hidden.exitCode == 0 && hidden.lines.count == plain.lines.count)
        let csv = try await log.run(["replay", "--pseudonymize", key, "--format", "csv"])
        for name in secret {
            #expect(plain.output.contains(name) && !hidden.output.contains(name), "\(name)")
            #expect(!csv.output.contains(name.replacing("\"", with: "\"\"")), "\(name)")
        }
        #expect(try await log.run(["replay", "--pseudonymize", key]).output == hidden.output)
        let names = Pseudonyms(secret: [UInt8](repeating: 0x5A, count: 32))
        for (line, event) in zip(hidden.lines, events) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["userId"] as? String == names.user(event.user).description)
            #expect(object["appId"] as? String == event.app?.rawValue && object["type"] as? String == event.type)
        }
        let user = try #require(events.first?.user)
        let one = try await log.run(["replay", "--pseudonymize", key, "--user", "\(user)"])
        #expect(one.lines.count == events.count { $0.user == user })
    }

    @Test("A key that is none, or is not there, is told before anything is read")
    func keys() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let key = "\(log.directory)/export.key"
        let missing = try await log.complaint(["replay", "--pseudonymize", key])
        #expect(missing.code == 1 && missing.text.contains("openssl rand -hex 32 > \(key)"), "\(missing.text)")
        try "abc".write(toFile: key, atomically: true, encoding: .utf8)
        let short = try await log.complaint(["replay", "--pseudonymize", key])
        #expect(short.code == 1 && short.text.contains("at least 64 hex digits"), "\(short.text)")
    }
}
