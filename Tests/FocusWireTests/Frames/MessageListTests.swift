import Foundation
import Support
import Testing

/// "Messages" in `protocol.md` is written by hand; `sync.proto` is what programs speak.
@Suite("Message list") struct MessageListTests {
    @Test("The rules list the messages of sync.proto, and no other", arguments: ["Client", "Server"])
    func lists(side: String) throws {
        let rules = try String(contentsOf: Checkout.file("Schema/rules/protocol.md"), encoding: .utf8)
        let schema = try String(contentsOf: Checkout.file("Schema/proto/focus/sync/v1/sync.proto"), encoding: .utf8)
        let line = try #require(rules.split(separator: "\n").first { $0.hasPrefix("\(side): ") })
        let frame = try #require(schema.components(separatedBy: "message \(side)Frame {").last)
        let choices = try #require(frame.components(separatedBy: "\n  }").first)
        let listed = line.matches(of: /`([A-Z]\w+)/).map { String($0.1) }
        // `Rows` is a field of snapshots and one of deltas.
        let spoken = Set(choices.matches(of: /\n    (\w+) \w+ = \d+;/).map { String($0.1) })
        #expect(spoken.count > 10 && Set(listed) == spoken && listed.count == spoken.count)
    }
}
