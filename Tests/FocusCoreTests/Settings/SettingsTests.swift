import Testing

@testable import FocusCore

@Suite("UserState: notification settings") struct SettingsTests {
    private func alerts(_ stage: Stage, _ app: AppID? = .chat) -> [Bool]? {
        stage.settings(app).map { row in DeviceClass.allCases.map { row.effective[$0].alerts } }
    }

    @Test("N15: of what was set, (app, class) goes before (app, phone), (all, class), (all, phone)")
    func order() {
        let places: [(app: AppID?, deviceClass: DeviceClass?)] = [
            (.chat, .watch), (.chat, nil), (nil, .watch), (nil, .phone),
        ]
        for first in places.indices {
            for second in places.indices where first < second {
                for value in [SwitchChoice.on, .off] {
                    var stage = Stage.ready()
                    // The setting with less priority is later and has the opposite value.
                    stage.set(places[first].app, on: places[first].deviceClass, alerts: value, at: 1)
                    stage.set(
                        places[second].app, on: places[second].deviceClass, alerts: value == .on ? .off : .on, at: 2)
                    #expect(stage.settings()?.effective.watch.alerts == (value == .on))
                }
            }
        }
    }

    @Test("N15: without deviceClass it is the phone's, which every class follows until it has its own")
    func classesFollow() {
        var stage = Stage.ready()
        stage.set(alerts: .off, at: 1)
        #expect(alerts(stage) == [false, false, false, false])
        stage.set(on: .watch, alerts: .on, at: 2)
        #expect(alerts(stage) == [false, false, true, false])
        stage.set(on: .phone, alerts: .on, at: 3)
        stage.set(on: .watch, alerts: .off, at: 4)
        #expect(alerts(stage) == [true, true, false, true])
        stage.set(on: .watch, alerts: .follow, at: 5)
        #expect(alerts(stage) == [true, true, true, true])
    }

    @Test("N15: an absent field is unchanged, follow takes a value back, each field for itself")
    func fields() throws {
        var stage = Stage.ready()
        stage.set(alerts: .off, badges: .off, sounds: .off, previews: .never, timeSensitive: .off, at: 1)
        stage.set(sounds: .on, scheduled: .on, at: 2)
        var row = try #require(stage.settings())
        var expected = NotificationSettings()
        (expected.alerts, expected.badges, expected.timeSensitive) = (false, false, false)
        (expected.previews, expected.scheduledDelivery) = (.never, true)
        #expect(row.effective.phone == expected)
        #expect(row.own.phone.sounds == true && row.own.phone.previews == .never && row.own.watch == OwnSettings())
        stage.set(
            alerts: .follow, badges: .follow, sounds: .follow, previews: .follow, timeSensitive: .follow,
            scheduled: .follow, at: 3)
        row = try #require(stage.settings())
        #expect(row == NotificationSettingsRow(effective: ByClass(repeating: NotificationSettings())))
    }

    @Test("E3: each field is a register of its own: the greatest stamp wins")
    func registers() {
        var stage = Stage.ready()
        stage.set(alerts: .off, badges: .off, at: 10)
        stage.set(alerts: .on, badges: .on, sounds: .off, at: 5, from: .tablet)
        let phone = stage.settings()?.effective.phone
        #expect(phone?.alerts == false && phone?.badges == false && phone?.sounds == false)
        stage.set(alerts: .follow, at: 4, from: .watch)
        #expect(stage.settings()?.effective.phone.alerts == false)
    }

    @Test("N15: before the app's registration it is accepted, and inert until then")
    func inert() throws {
        var stage = Stage()
        #expect(stage.set(alerts: .off, at: 1) == nil)
        #expect(stage.settings() == nil)
        stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        stage.register(at: 2)
        #expect(stage.settings()?.effective.phone.alerts == false)
    }

    @Test("N15: rows are of what was ever set: of an app, or of all")
    func rows() {
        var stage = Stage.ready([.chat, .mail])
        #expect(stage.settings(.chat) == nil && stage.settings(nil) == nil)
        stage.set(.chat, badges: .on, at: 1)
        #expect(stage.settings(.chat) != nil && stage.settings(.mail) == nil && stage.settings(nil) == nil)
        stage.set(nil, badges: .off, at: 2)
        #expect(stage.settings(nil)?.effective.watch.badges == false)
        #expect(stage.settings(.mail)?.effective.phone.badges == false)
        #expect(stage.settings(.mail)?.own.phone.badges == nil)
        #expect(stage.settings(.chat)?.effective.phone.badges == true)
        // An app that is registered later has the settings for all apps too.
        let later = AppID("com.example.later")!
        stage.register(later, at: 3)
        #expect(stage.settings(later)?.effective.phone.badges == false)
        #expect(stage.badge(later) == BadgeRow(count: nil))
    }

    @Test("A4: an app must not change settings, mute, unmute or schedule")
    func scope() {
        var stage = Stage.ready()
        let bodies: [EventBody] = [
            .notificationSettingsChanged(NotificationSettingsChanged(alerts: .on)), .appUnmuted,
            .appMuted(AppMuted(until: .at(9))),
        ]
        for body in bodies {
            #expect(stage.send(body, app: .chat, at: 1, scope: .app(.chat)) == .forbidden)
            #expect(stage.send(body, app: .chat, at: 1) == nil)
        }
        #expect(stage.send(.appUnmuted, at: 1) == .fieldMissing)
        let schedule = EventBody.deliveryScheduleChanged(DeliveryScheduleChanged(times: [1], timeZone: "UTC"))
        #expect(stage.send(schedule, at: 1, scope: .app(.chat)) == .forbidden)
        #expect(stage.send(schedule, app: .chat, at: 1, scope: .app(.chat)) == .forbidden)
        #expect(stage.send(schedule, app: .chat, at: 1) == .fieldInvalid)
        let stamp = Stamp(time: .at(0), device: .phone, sequence: DeviceSequence(1))
        let summary = EventBody.summaryDelivered(SummaryDelivered(schedule: stamp, dueAt: .at(0)))
        for scope in [Scope.system, .app(.chat)] { #expect(stage.send(summary, at: 1, scope: scope) == .forbidden) }
    }

    @Test("E5: settings and mutes of at most 1,000 apps")
    func bounds() {
        var stage = Stage()
        for number in 0..<999 { stage.authorize(.location, .denied, AppID("app\(number)")!, at: 1) }
        #expect(stage.set(alerts: .off, at: 2) == nil)
        #expect(stage.set(.mail, alerts: .off, at: 2) == .tooMany)
        #expect(stage.mute(.mail, until: 9, at: 2) == .tooMany)
        #expect(stage.unmute(.mail, at: 2) == .tooMany)
        #expect(stage.set(nil, alerts: .off, at: 2) == nil && stage.mute(until: 9, at: 2) == nil)
    }
}

@Suite("UserState: badges of device classes") struct BadgeSettingsTests {
    @Test("B2: badges off, three posts, on: 3")
    func offAndOn() {
        var stage = Stage.ready()
        stage.set(badges: .off, at: 1)
        #expect(stage.badge() == BadgeRow(count: nil))
        for id in ["a", "b", "c"] { stage.post(id, at: 2) }
        #expect(stage.badge() == BadgeRow(count: nil))
        stage.set(badges: .on, at: 3)
        #expect(stage.badge() == BadgeRow(count: 3))
    }

    @Test("B2: per device class: the row says which classes differ from the phone")
    func classes() {
        var stage = Stage.ready()
        stage.set(on: .watch, badges: .off, at: 1)
        stage.post("a", at: 2)
        #expect(stage.badge() == BadgeRow(count: 1, others: [.init(.watch, count: nil)]))
        #expect(stage.badge()?.count(on: .watch) == nil && stage.badge()?.count(on: .desktop) == 1)
        stage.set(badges: .off, at: 3)
        stage.set(on: .tablet, badges: .on, at: 4)
        stage.post("b", at: 5)
        #expect(stage.badge() == BadgeRow(count: nil, others: [.init(.tablet, count: 2)]))
        // Without authorization no class shows a badge.
        stage.authorize(.notifications, .denied, at: 6)
        #expect(stage.badge() == BadgeRow(count: nil))
        stage.authorize(.notifications, .authorized, at: 7)
        stage.set(on: .tablet, badges: .follow, at: 8)
        stage.set(badges: .follow, at: 9)
        #expect(stage.badge() == BadgeRow(count: 2, others: [.init(.watch, count: nil)]))
    }
}
