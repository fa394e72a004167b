import Testing

@testable import FocusCore

@Suite("UserState: notifications") struct NotificationTests {
    @Test("N2: authorized or provisional, nothing else", arguments: AuthorizationStatus.allCases)
    func authorization(_ status: AuthorizationStatus) {
        var stage = Stage.ready(status: status)
        let isAllowed = status == .authorized || status == .provisional
        #expect(stage.post("a", at: 1) == (isAllowed ? nil : .notAuthorized))
    }

    @Test("N3: critical needs its entitlement, timeSensitive its capability")
    func capabilities() {
        var stage = Stage.ready()
        stage.register(capabilities: [], at: 1)
        #expect(stage.post("a", level: .critical, at: 2) == .entitlementRequired)
        #expect(stage.post("a", level: .timeSensitive, at: 2) == .capabilityRequired)
        #expect(stage.post("a", level: .passive, at: 2) == nil)
    }

    private func post(_ stage: inout Stage, _ id: String, eventAfter seconds: Double, at second: Double) {
        let body = NotificationPosted(
            notificationID: id, title: "T", body: "", level: .timeSensitive, eventAt: .at(second + seconds))
        stage.send(.notificationPosted(body), app: .chat, at: second)
    }

    @Test("N3: time sensitive about something an hour ahead breaks through; a microsecond more is decided as active")
    func eventAt() {
        var stage = Stage.ready()
        stage.configure("x", timeSensitive: true, at: 1)
        stage.focus("x", on: true, at: 2)
        post(&stage, "far", eventAfter: 3_600.000_001, at: 3)
        post(&stage, "near", eventAfter: 3_600, at: 4)
        #expect(stage.decision("far") == AlertDecision(.heldByFocus, .focus))
        #expect(stage.decision("near") == AlertDecision(.now, .timeSensitive))
        #expect(stage.alert("far")?.introducesTimeSensitive == false)
        #expect(stage.notification("far")?.level == .timeSensitive)
    }

    @Test("N3: the first time-sensitive one of an app introduces them, once")
    func introduces() {
        var stage = Stage.ready()
        stage.post("a", at: 1)
        stage.post("b", level: .timeSensitive, at: 2)
        stage.post("c", level: .timeSensitive, at: 3)
        stage.post("late", level: .timeSensitive, at: 1.5, from: .tablet)
        #expect(
            ["a", "b", "c", "late"].map { stage.alert($0)?.introducesTimeSensitive } == [false, true, false, false])
    }

    @Test("N3: what introduces them and is replaced unread introduces them again; once it was read it does not")
    func introducesAgain() {
        var stage = Stage.ready()
        stage.post("a", level: .timeSensitive, at: 1)
        stage.post("a", level: .timeSensitive, at: 2)
        #expect(stage.alert("a")?.introducesTimeSensitive == true)
        stage.post("a", at: 3)
        #expect(stage.alert("a")?.introducesTimeSensitive == false)
        stage.post("b", level: .timeSensitive, at: 4)
        #expect(stage.alert("b")?.introducesTimeSensitive == true)
        stage.read("b", at: 5)
        stage.post("b", level: .timeSensitive, at: 6)
        #expect(stage.alert("b")?.introducesTimeSensitive == false)
    }

    @Test("N3: one that nobody is told of introduces nothing")
    func introducesToSomebody() {
        var stage = Stage.ready()
        stage.mute(until: 10, at: 1)
        stage.post("muted", level: .timeSensitive, at: 2)
        #expect(stage.alert("muted")?.introducesTimeSensitive == false)
        stage.post("a", level: .timeSensitive, at: 11)
        #expect(stage.alert("a")?.introducesTimeSensitive == true)
    }

    @Test("N4: marketing needs consent, is passive or active, and no communication")
    func marketing() {
        var stage = Stage.ready()
        #expect(stage.post("a", marketing: true, at: 1) == .marketingConsentRequired)
        stage.authorize(.marketing, .authorized, at: 2)
        #expect(stage.post("a", marketing: true, at: 3) == nil)
        #expect(stage.post("a", level: .timeSensitive, marketing: true, at: 3) == .marketingInterruptionLevel)
        #expect(stage.post("a", level: .critical, marketing: true, at: 3) == .marketingInterruptionLevel)
        let body = NotificationPosted(notificationID: "a", body: "", marketing: true, interactionID: "i")
        #expect(stage.send(.notificationPosted(body), app: .chat, at: 3) == .marketingCommunication)
    }

    @Test("N5: an interaction that is not donated")
    func interaction() {
        var stage = Stage.ready()
        let body = NotificationPosted(notificationID: "a", body: "", interactionID: "i")
        #expect(stage.send(.notificationPosted(body), app: .chat, at: 3) == .interactionNotDonated)
    }

    @Test("N6: without a title it shows the app's name, also after that changes")
    func appName() {
        var stage = Stage.ready()
        stage.send(.notificationPosted(NotificationPosted(notificationID: "a", body: "B")), app: .chat, at: 1)
        stage.send(
            .notificationPosted(NotificationPosted(notificationID: "b", title: "", body: "B")), app: .chat, at: 1)
        stage.post("c", at: 1)
        #expect(["a", "b", "c"].map { stage.notification($0)?.title } == ["Chat", "Chat", "T"])
        stage.register(name: "Talk", at: 2)
        #expect(["a", "b", "c"].map { stage.notification($0)?.title } == ["Talk", "Talk", "T"])
    }

    @Test("N7: reading leaves the entry, read")
    func reading() {
        var stage = Stage.ready()
        stage.post("a", at: 1)
        #expect(stage.notification("a")?.unread == true && stage.badge()?.count == 1)
        stage.read("a", at: 2)
        #expect(stage.notification("a")?.unread == false && stage.badge()?.count == 0)
        #expect(stage.notification("a")?.title == "T")
    }

    @Test("N7: a read that arrives before its post: born read, badge 0, no alert")
    func bornRead() {
        var stage = Stage.ready()
        stage.read("a", at: 5, from: .tablet)
        stage.post("a", at: 4)
        #expect(stage.notification("a")?.unread == false)
        #expect(stage.badge()?.count == 0 && stage.alert("a") == nil)
    }

    @Test("N7: read @5, re-post @6: unread, one entry, new decision")
    func repost() throws {
        var stage = Stage.ready()
        stage.post("a", at: 4)
        let first = try #require(stage.alert("a"))
        stage.read("a", at: 5)
        stage.post("a", at: 6)
        #expect(stage.notification("a")?.unread == true && stage.badge()?.count == 1)
        let second = try #require(stage.alert("a"))
        #expect(second.decision == first.decision && second.post > first.post)
    }

    @Test("N7: removed @2, late re-post @1.5: stays removed")
    func lateRepost() {
        var stage = Stage.ready()
        stage.post("a", at: 1)
        stage.remove("a", at: 2)
        stage.post("a", at: 1.5, from: .tablet)
        #expect(stage.notification("a") == nil && stage.badge()?.count == 0 && stage.alert("a") == nil)
        stage.post("a", at: 3)
        #expect(stage.notification("a")?.unread == true)
    }

    @Test("N7: a removal that arrives before its post is remembered")
    func bornRemoved() {
        var stage = Stage.ready()
        stage.remove("a", at: 5, from: .tablet)
        #expect(stage.state.row(RowKey(.notifications, app: .chat, key: "a"))?.version == .zero)
        stage.post("a", at: 4)
        #expect(stage.notification("a") == nil && stage.alert("a") == nil)
    }

    @Test("N7: a losing post changes nothing")
    func losingPost() {
        var stage = Stage.ready()
        stage.post("a", at: 5)
        let rows = stage.rows.filter { $0.key.collection.isPublic }
        stage.post("a", level: .passive, at: 4, from: .tablet)
        #expect(stage.rows.filter { $0.key.collection.isPublic } == rows)
    }

    @Test("B3, N7: clear @10, late post @9: not listed, badge 0; what came after stays")
    func clear() {
        var stage = Stage.ready()
        stage.post("a", at: 1)
        stage.post("b", at: 12)
        stage.clear(at: 10, from: .tablet)
        #expect(stage.notification("a") == nil && stage.notification("b") != nil)
        stage.post("c", at: 9, from: .watch)
        #expect(stage.notification("c") == nil && stage.badge()?.count == 1)
        stage.clear(at: 20)
        #expect(stage.badge()?.count == 0 && stage.notification("b") == nil)
    }

    @Test("N7: ids are bytes: a precomposed and a decomposed é are two")
    func byteIdentity() {
        var stage = Stage.ready()
        stage.post("\u{E9}", at: 1)
        stage.post("e\u{301}", at: 2)
        #expect(stage.badge()?.count == 2)
        stage.read("e\u{301}", at: 3)
        #expect(stage.notification("\u{E9}")?.unread == true && stage.badge()?.count == 1)
        #expect(stage.rows.keys.count { $0.collection == .notifications } == 2)
    }

    @Test("B2: provisional: listed, badge hidden; authorized again, the count is there")
    func hiddenBadge() {
        var stage = Stage.ready()
        stage.authorize(.notifications, .provisional, at: 1)
        for id in ["a", "b", "c"] { stage.post(id, at: 2) }
        #expect(stage.badge() == BadgeRow(count: nil))
        stage.authorize(.notifications, .authorized, at: 3)
        #expect(stage.badge() == BadgeRow(count: 3))
        stage.authorize(.notifications, .denied, at: 4)
        #expect(stage.badge() == BadgeRow(count: nil))
    }
}
