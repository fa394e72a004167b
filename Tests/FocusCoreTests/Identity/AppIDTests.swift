import Testing

@testable import FocusCore

@Suite("AppID") struct AppIDTests {
    @Test("An app is what its name says, whichever app came before", arguments: [nil, "K", "com.example.chat"])
    func previous(_ before: String?) {
        let before = before.flatMap { AppID($0) }
        for name in ["K", "com.example.chat", "com.example.mail"] {
            #expect(AppID(name, previous: before) == AppID(name))
            #expect(AppID(name, previous: before)?.rawValue == name)
        }
        // A Kelvin sign: equal to a K for a String, but not a letter of a bundle identifier.
        #expect("\u{212A}" == "K" && AppID("\u{212A}", previous: before) == nil)
        #expect(AppID("", previous: before) == nil)
    }
}
