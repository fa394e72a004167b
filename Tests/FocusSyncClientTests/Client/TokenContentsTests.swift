import FocusCore
import FocusSyncClient
import Foundation
import Testing

@Suite("TokenContents")
struct TokenContentsTests {
    private func token(_ claims: String) -> String {
        let body = Data(claims.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        return "e30.\(body).c2ln"
    }

    private let user = "01020304-0506-0708-090a-0b0c0d0e0f10"

    @Test("User, device and scope are read from the claims")
    func reads() throws {
        let text = token(#"{"sub":"\#(user)","device":"\#(user)","scope":"app:com.example.chat","exp":1800000000}"#)
        let contents = try TokenContents(reading: text)
        #expect(contents.owner == Fixture.owner(.app(try #require(AppID("com.example.chat")))))
        #expect(contents.expiresAt == Timestamp(microseconds: 1_800_000_000_000_000))
    }

    @Test(
        "What is no token has no contents",
        arguments: [
            "", "a.b", "a.b.c", "a.b.c.d", "e30.e30.e30", "e30.bm8.c2ln",
        ])
    func refuses(text: String) {
        #expect(throws: SyncClientError.tokenUnreadable) { try TokenContents(reading: text) }
    }

    @Test("A scope that is none is no token")
    func refusesScope() {
        let text = token(#"{"sub":"\#(user)","device":"\#(user)","scope":"all"}"#)
        #expect(throws: SyncClientError.tokenUnreadable) { try TokenContents(reading: text) }
    }

    @Test("An address is host:port, IPv6 in brackets")
    func addresses() {
        #expect(ServerAddress("localhost:1") == ServerAddress(host: "localhost", port: 1))
        #expect(ServerAddress("[::1]:7464")?.host == "::1")
        #expect(ServerAddress("[::1]:7464")?.description == "[::1]:7464")
        for text in ["", "host", "host:", ":1", "host:0", "host:65536", "::1:5"] { #expect(ServerAddress(text) == nil) }
    }
}
