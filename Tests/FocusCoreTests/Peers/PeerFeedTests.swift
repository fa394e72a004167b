import Testing

@testable import FocusCore

@Suite("PeerFeed") struct PeerFeedTests {
    private let chat = Viewer(user: .bob, scope: .app(.chat))
    private let agent = Viewer(user: .bob, scope: .system)

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }
    private func status(_ app: AppID?, _ isFocused: Bool?) -> PeerStatus {
        PeerStatus(user: .ada, app: app, isFocused: isFocused)
    }

    @Test("V1: the current status comes at once, also when there is none; then changes alone")
    func current() throws {
        var feed = PeerFeed()
        #expect(feed.deadline == nil)
        feed.asked()
        #expect(try #require(feed.deadline) < at(0))
        #expect(feed.update([:], of: .ada, to: chat, now: at(0)) == [status(.chat, nil)])
        #expect(feed.deadline == nil)
        feed.changed()
        #expect(feed.update([:], of: .ada, to: chat, now: at(1_000)) == [], "nothing that shows")
        feed.changed()
        #expect(feed.update([.chat: true], of: .ada, to: chat, now: at(2_000)) == [status(.chat, true)])
        feed.asked()
        #expect(try #require(feed.deadline) < at(2_000), "who asks again is answered at once")
        #expect(feed.update([.chat: true], of: .ada, to: chat, now: at(2_001)) == [status(.chat, true)])
    }

    @Test("V4: at most one change in 250 ms, and the last one wins")
    func coalesced() {
        var feed = PeerFeed()
        feed.asked()
        _ = feed.update([.chat: false], of: .ada, to: chat, now: at(1_000))
        feed.changed()
        #expect(feed.deadline == at(1_250))
        feed.changed()
        feed.changed()
        #expect(feed.deadline == at(1_250))
        #expect(feed.update([.chat: true], of: .ada, to: chat, now: at(1_250)) == [status(.chat, true)])
        feed.changed()
        #expect(feed.deadline == at(1_500))
        // The status changed and changed back while it waited: nothing is sent, and the next change need not wait for
        // it.
        #expect(feed.update([.chat: true], of: .ada, to: chat, now: at(1_500)) == [])
        feed.changed()
        #expect(feed.deadline == at(1_500))
    }

    @Test("V2: what waited is decided anew when it is told: after a removal it is unavailable")
    func removedMeanwhile() {
        var feed = PeerFeed()
        feed.asked()
        _ = feed.update([.chat: false], of: .ada, to: chat, now: at(0))
        feed.changed()
        feed.changed()
        #expect(feed.update([:], of: .ada, to: chat, now: at(250)) == [status(.chat, nil)])
        #expect(feed.renewal(of: .ada) == [])
    }

    @Test("F5: a system viewer hears of each app where it may, and of no other")
    func perApp() {
        var feed = PeerFeed()
        feed.asked()
        #expect(feed.update([:], of: .ada, to: agent, now: at(0)) == [status(nil, nil)])
        feed.changed()
        #expect(feed.update([.chat: true], of: .ada, to: agent, now: at(250)) == [status(.chat, true)])
        feed.changed()
        let both = feed.update([.mail: false, .chat: false], of: .ada, to: agent, now: at(500))
        #expect(both == [status(.chat, false), status(.mail, false)])
        feed.changed()
        #expect(feed.update([.mail: false], of: .ada, to: agent, now: at(750)) == [status(.chat, nil)])
        #expect(feed.renewal(of: .ada) == [status(.mail, false)])
    }

    @Test("V1, V2: the answer to a system viewer begins by ending what it may hold of apps that are not in it")
    func answer() {
        var feed = PeerFeed()
        feed.asked()
        _ = feed.update([.chat: true, .mail: true], of: .ada, to: agent, now: at(0))
        // The viewer is removed from one app's audience and asks again before being told.
        feed.changed()
        feed.asked()
        #expect(feed.update([.chat: true], of: .ada, to: agent, now: at(1)) == [status(nil, nil), status(.chat, true)])
        feed.changed()
        #expect(feed.update([.chat: false], of: .ada, to: agent, now: at(300)) == [status(.chat, false)])
    }

    @Test("V3: what is told again is what was told, and only what is available")
    func renewal() {
        var feed = PeerFeed()
        #expect(feed.renewal(of: .ada) == [])
        feed.asked()
        _ = feed.update([.chat: true], of: .ada, to: chat, now: at(0))
        #expect(feed.renewal(of: .ada) == [status(.chat, true)])
    }
}
