import Testing

@testable import FocusCore

/// Rules N18, L6 and T5: which device is in use, and what of that is logged.
@Suite("Device activity") struct ActivityTests {
    private func activity(
        _ device: DeviceID, _ deviceClass: DeviceClass = .phone, _ scope: Scope = .system, app: AppID? = nil
    ) -> DeviceActivity {
        DeviceActivity(device: device, scope: scope, deviceClass: deviceClass, app: app)
    }

    @Test("N18: in use is the device that reported last; when it ends, the one before that is")
    func last() {
        var stage = Stage.ready()
        #expect(stage.state.deviceInUse(at: .at(1)) == nil)
        stage.use(.phone, at: 1)
        stage.use(.tablet, .tablet, at: 2)
        #expect(stage.state.deviceInUse(at: .at(3))?.device == .tablet)
        stage.use(.phone, at: 4)
        #expect(stage.state.deviceInUse(at: .at(4))?.device == .phone)
        stage.endUse(.phone, at: 5)
        #expect(stage.state.deviceInUse(at: .at(5))?.device == .tablet)
    }

    @Test("N18: what is logged counts for three minutes, that moment included, if nothing more is: no event says so")
    func runsOut() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        #expect(stage.state.deviceInUse(at: .at(181)) != nil && stage.state.deviceInUse(at: .at(181.000_001)) == nil)
        let count = stage.events.count
        stage.fireTimers(at: 500)
        #expect(stage.events.count == count)
        stage.post("n", at: 501)
        #expect(stage.alert("n")?.firstDevice == nil)
    }

    @Test("T5: ended once, by name")
    func endsOnce() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        stage.endUse(.phone, at: 2)
        #expect(stage.state.deviceInUse(at: .at(2)) == nil && stage.state.row(RowKey(.deviceActivity)) == nil)
        let ended = DeviceActivityEnded(device: .phone, scope: .system, reportedAt: .at(1))
        #expect(stage.state.validate(stage.timer(.deviceActivityEnded(ended), due: .at(61)), scope: .system) != nil)
    }

    @Test("T5: an end of one report does not end a later one")
    func later() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        let ended = DeviceActivityEnded(device: .phone, scope: .system, reportedAt: .at(1))
        stage.use(.phone, app: .chat, at: 2)
        #expect(stage.state.validate(stage.timer(.deviceActivityEnded(ended), due: .at(3)), scope: .system) != nil)
        var state = stage.state
        #expect((try? state.apply(stage.timer(.deviceActivityEnded(ended), due: .at(3)))) != nil)
        #expect(state.deviceInUse(at: .at(3))?.app == .chat)
    }

    @Test("L6: news is who is in use and what is in front there, and that the log would soon say nothing of it")
    func news() {
        var stage = Stage.ready()
        #expect(stage.state.isNews(activity(.phone), at: .at(1)))
        stage.use(.phone, at: 1)
        #expect(!stage.state.isNews(activity(.phone), at: .at(2)))
        #expect(stage.state.isNews(activity(.phone, app: .chat), at: .at(2)))
        #expect(!stage.state.isNews(activity(.phone), at: .at(136)))
        #expect(stage.state.isNews(activity(.phone), at: .at(136.000_001)))
    }

    @Test("L6: of two devices that are in use at the same time each takes over once a minute, and no app ever does")
    func takeover() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        stage.use(.tablet, .tablet, at: 3)
        #expect(!stage.state.isNews(activity(.phone), at: .at(60.999_999)))
        #expect(stage.state.isNews(activity(.phone), at: .at(61)))
        #expect(!stage.state.isNews(activity(.tablet, .tablet), at: .at(100)))
        stage.use(.phone, app: .chat, scope: .app(.chat), at: 4)
        #expect(!stage.state.isNews(activity(.phone, .phone, .app(.chat), app: .chat), at: .at(100)))
    }

    @Test("L6: an app in front is named if it may alert the user, and else not at all")
    func alerting() {
        var stage = Stage.ready([.chat])
        #expect(stage.state.alerting(.chat) == .chat && stage.state.alerting(.mail) == nil)
        stage.authorize(.notifications, .denied, at: 1)
        #expect(stage.state.alerting(.chat) == nil)
    }

    @Test("N18: in front is what the device's system session names; an app's own word counts where it names none")
    func scopes() {
        var stage = Stage.ready([.chat, .mail])
        func inFront(_ app: AppID) -> Bool { stage.state.shared.activity.isInFront(app, at: stage.now) }
        // Where no device has a system session the last app says so; it makes no device the one that rings first.
        stage.use(.tablet, .tablet, app: .mail, scope: .app(.mail), at: 1)
        #expect(inFront(.mail) && !inFront(.chat) && stage.state.deviceInUse(at: .at(1)) == nil)
        stage.use(.phone, at: 2)
        #expect(!inFront(.mail))
        stage.use(.phone, app: .chat, scope: .app(.chat), at: 3)
        #expect(inFront(.chat))
        stage.use(.phone, app: .mail, at: 4)
        #expect(inFront(.mail) && !inFront(.chat))
        stage.endUse(.phone, at: 5)
        #expect(inFront(.mail) && !inFront(.chat))
    }

    @Test("T5: an app that has left the front ends its own report; the system's end speaks for all on the device")
    func ends() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        stage.use(.phone, app: .chat, scope: .app(.chat), at: 2)
        stage.endUse(.phone, scope: .app(.chat), at: 3)
        #expect(stage.state.lastActivity(of: .phone, .system) == .at(1))
        stage.use(.phone, app: .chat, scope: .app(.chat), at: 4)
        stage.endUse(.phone, at: 5)
        #expect(stage.state.lastActivity(of: .phone, .app(.chat)) == nil)
    }

    @Test("N18: 32 reports of a user count; of more, those of apps leave first, then the oldest; and it has few bytes")
    func bound() {
        var stage = Stage.ready()
        stage.use(.phone, at: 0)
        func device(_ number: Int) -> DeviceID { DeviceID(Stage.uuid(number + 1)) }
        let app = AppID(String(repeating: "a", count: 155))!
        for number in 0..<ActivityLimits.sessionsPerUser {
            stage.use(device(number), app: app, scope: .app(app), at: Double(number + 1) / 100)
        }
        #expect(stage.state.lastActivity(of: device(0), .app(app)) == nil)
        #expect(stage.state.lastActivity(of: device(1), .app(app)) != nil)
        #expect(stage.state.lastActivity(of: .phone, .system) != nil)
        #expect(stage.state.row(RowKey(.deviceActivity)).map { $0.memo.count < 32 * 400 } == true)
        for number in 0..<ActivityLimits.sessionsPerUser { stage.use(device(number), at: 1 + Double(number) / 100) }
        #expect(stage.state.lastActivity(of: .phone, .system) == nil)
        #expect(stage.state.lastActivity(of: device(0), .system) != nil)
    }

    @Test("A3, N18: a revoked device is not in use, and cannot come to be")
    func revoked() {
        var stage = Stage.ready()
        stage.use(.tablet, .tablet, at: 1)
        stage.send(.deviceRevoked(DeviceRevoked(device: .tablet)), at: 2)
        #expect(stage.state.deviceInUse(at: .at(2)) == nil)
        let report = stage.timer(.deviceActivity(activity(.tablet, .tablet)), due: .at(3))
        #expect(stage.state.validate(report, scope: .system)?.code == .forbidden)
    }

    @Test("N18: no device appends what the server alone logs")
    func authors() {
        var stage = Stage.ready()
        #expect(stage.send(.deviceActivity(activity(.phone)), at: 1) == .forbidden)
        let ended = DeviceActivityEnded(device: .phone, scope: .system, reportedAt: .at(0))
        #expect(stage.send(.deviceActivityEnded(ended), at: 2) == .forbidden)
        #expect(stage.state.deviceInUse(at: .at(2)) == nil)
    }
}
