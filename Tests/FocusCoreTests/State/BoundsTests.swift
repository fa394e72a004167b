import Testing

@testable import FocusCore

@Suite("UserState: bounds") struct BoundsTests {
    private func full(_ level: (Int) -> InterruptionLevel) -> Stage {
        var stage = Stage.ready()
        for number in 1...EventLimits.listedNotificationsPerApp {
            stage.post("n\(number)", level: level(number), at: Double(number))
        }
        return stage
    }

    @Test("E5: of 10,001 listed notifications the one of the lowest level leaves, then the oldest")
    func leavingOrder() {
        var stage = full { $0 == 500 || $0 == 700 ? .passive : $0 == 3 ? .critical : .active }
        #expect(stage.badge()?.count == 10_000)
        var left: [String] = []
        for (number, level) in [InterruptionLevel.active, .active, .active, .passive, .active, .active].enumerated() {
            let before = Set(stage.state.apps[0].list.records.filter { $0.value.isListed }.keys)
            stage.post("new\(number)", level: level, at: 20_000 + Double(number))
            let after = Set(stage.state.apps[0].list.records.filter { $0.value.isListed }.keys)
            #expect(after.count == 10_000 && stage.badge()?.count == 10_000)
            left += before.union([ByteText("new\(number)")]).subtracting(after).map(\.text)
        }
        // new3 is passive, so it leaves at once.
        #expect(left == ["n500", "n700", "n1", "new3", "n2", "n4"])
        #expect(stage.alert("new3") == nil && stage.notification("new3") == nil)
        // An older post with the id of one that left does not come back.
        stage.post("n500", level: .critical, at: 499, from: .tablet)
        #expect(stage.notification("n500") == nil)
    }

    @Test("E5: what leaves is the same after a reload, and when the list was shorter in between")
    func leavingOrderIsACache() throws {
        var stage = full { _ in .active }
        stage.post("x", at: 20_000)
        stage.remove("n9000", "n9001", at: 20_001)
        stage.post("p", level: .passive, at: 20_002)
        stage.post("q", level: .active, at: 20_003)
        var reloaded = stage
        reloaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        for number in 0..<5 {
            stage.post("y\(number)", at: 20_010 + Double(number))
            reloaded.post("y\(number)", at: 20_010 + Double(number))
        }
        #expect(stage.notification("p") == nil && stage.notification("n5") == nil && stage.notification("n6") != nil)
        #expect(stage.rows == reloaded.rows)
    }

    @Test("N7: at most 10,000 unlisted ids of an app are remembered, the oldest are forgotten")
    func remembered() {
        var stage = Stage.ready()
        for batch in 0..<11 {
            let ids = (0..<1_000).map { "r\(batch * 1_000 + $0)" }
            stage.send(.notificationRemoved(NotificationIDs(ids: ids)), app: .chat, at: Double(100 + batch))
        }
        #expect(stage.state.apps[0].list.rememberedCount == 10_000)
        #expect(stage.rows.keys.count { $0.collection == .notifications } == 10_000)
        stage.post("r5", at: 50, from: .tablet)
        stage.post("r5005", at: 50, from: .tablet)
        #expect(stage.notification("r5") != nil && stage.notification("r5005") == nil)
    }

    @Test("N7: of ids that were removed at the same moment, those are forgotten first that come first by their bytes")
    func rememberedAlike() throws {
        var stage = Stage.ready()
        for batch in 0..<10 {
            let ids = (0..<1_000).map { "r\(batch * 1_000 + $0)" }
            stage.send(.notificationRemoved(NotificationIDs(ids: ids.reversed())), app: .chat, at: Double(100 + batch))
        }
        var reloaded = stage
        reloaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        for (number, id) in ["r0", "r1", "r10", "r100", "r101"].enumerated() {
            stage.remove("new\(number)", at: Double(200 + number))
            reloaded.remove("new\(number)", at: Double(200 + number))
            #expect(stage.rows[RowKey(.notifications, app: .chat, key: id)] == nil)
            #expect(reloaded.rows == stage.rows)
        }
    }

    @Test("S5: at most 5,000 tombstones of a stream; the horizon is that of the newest dropped, also after a reload")
    func tombstones() throws {
        var stage = Stage.ready()
        for number in 0..<3 {
            for batch in 0..<4 {
                let ids = (0..<1_000).map { "t\(number)-\(batch)-\($0)" }
                for id in ids { stage.post(id, at: Double(100 * number + 1)) }
                if batch == 0 { stage.read(ids[0], at: Double(100 * number + 900), from: .tablet) }
            }
            stage.clear(at: Double(100 * number + 2))
        }
        // Each of the 12,000 notifications left two tombstones.
        let store = stage.state.shared.store
        let stream = try #require(store.stream(of: .chat))
        #expect(stream.tombstones.count <= TombstoneQueue.perQueue)
        #expect(store.tombstoneCount - stream.tombstones.count <= TombstoneQueue.perQueue)
        let horizon = stage.state.horizon
        #expect(horizon > .zero)
        for entry in store.rows.inUse where entry.isDeleted && entry.stream != nil {
            #expect(entry.place > stream.horizon, "\(entry.key)")
        }
        let reloaded = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(reloaded.horizon == horizon)
        #expect(reloaded.shared.store.tombstoneCount == store.tombstoneCount)
        #expect(reloaded.shared.store.stream(of: .chat)?.horizon == stream.horizon && stream.horizon > .zero)
        // The fold remembers the read longer than the tombstone.
        let read = try #require(stage.state.row(RowKey(.notifications, app: .chat, key: "t0-0-0")))
        #expect(read.isDeleted && read.version == .zero && !read.memo.isEmpty)
    }

    @Test("E5: a user's apps, Focuses and audiences are bounded")
    func registers() {
        var stage = Stage()
        for number in 0..<1_000 { stage.configure("f\(number)", at: 1) }
        #expect(stage.focus("f1000", on: true, at: 2) == .tooMany)
        #expect(stage.focus("f999", on: true, at: 2) == nil)
        for number in 0..<1_000 { stage.authorize(.location, .denied, AppID("app\(number)")!, at: 3) }
        #expect(stage.authorize(.location, .denied, .chat, at: 4) == .tooMany)
    }
}
