import SeededNumbers
import Testing

@testable import FocusCore

@Suite("UserState: mutes") struct MuteTests {
    @Test("N16: a muted app's posts do not ring; they are listed and count")
    func muted() {
        var stage = Stage.ready([.chat, .mail])
        stage.mute(until: 100, at: 1)
        stage.post("a", at: 2)
        stage.post("m", .mail, at: 2)
        #expect(stage.decision("a") == AlertDecision(.none, .muted) && stage.badge()?.count == 1)
        #expect(stage.decision("m", .mail)?.alert == .now)
        #expect(stage.settings()?.mutedUntil == .at(100) && stage.settings(.mail) == nil)
        stage.unmute(at: 3)
        #expect(stage.settings()?.mutedUntil == nil && stage.settings() != nil)
        stage.post("b", at: 4)
        #expect(stage.decision("b")?.alert == .now)
    }

    @Test("N9.3: a post at exactly `until` is not muted, one a microsecond before is")
    func edge() {
        var stage = Stage.ready()
        stage.mute(until: 100, at: 1)
        stage.post("before", at: 99.999_999)
        stage.post("at", at: 100)
        #expect(stage.decision("before")?.reason == .muted)
        #expect(stage.decision("at") == AlertDecision(.now, .ordinary))
    }

    @Test("N9.3: judged at the post's stamp, not when it arrives")
    func late() {
        var stage = Stage.ready()
        stage.mute(until: 100, at: 10)
        stage.unmute(at: 50)
        stage.mute(until: 200, at: 60)
        stage.post("before", at: 9, from: .tablet)
        stage.post("first", at: 30, from: .tablet)
        stage.post("between", at: 55, from: .tablet)
        stage.post("second", at: 150, from: .tablet)
        #expect(stage.decision("before")?.alert == .now && stage.decision("between")?.alert == .now)
        #expect(stage.decision("first")?.reason == .muted && stage.decision("second")?.reason == .muted)
    }

    @Test("N10: a later unmute, or a late mute, changes nothing for what was decided")
    func decided() {
        var stage = Stage.ready()
        stage.post("rang", at: 20)
        stage.mute(until: 100, at: 10, from: .tablet)
        #expect(stage.decision("rang")?.alert == .now)
        stage.post("muted", at: 30)
        stage.unmute(at: 25, from: .watch)
        #expect(stage.decision("muted")?.reason == .muted)
    }

    @Test("N9.3, N10: what is released while its app is muted does not ring, and after the mute it does")
    func heldBefore() {
        var stage = Stage.ready()
        stage.configure("x", at: 1)
        stage.focus("x", on: true, at: 2)
        stage.post("a", at: 3)
        stage.mute(until: 100, at: 4)
        #expect(stage.decision("a")?.alert == .heldByFocus)
        stage.focus("x", on: false, at: 5)
        #expect(stage.decision("a") == AlertDecision(.none, .muted))
        stage.focus("x", on: true, at: 101)
        stage.post("c", at: 102)
        stage.mute(until: 110, at: 103)
        stage.focus("x", on: false, at: 110)
        #expect(stage.decision("c")?.alert == .now)
    }

    @Test("N9: critical, muted, in a Focus: now, overrides; time sensitive and muted: none")
    func levels() {
        var stage = Stage.ready()
        stage.configure("x", timeSensitive: true, at: 1)
        stage.focus("x", on: true, at: 2)
        stage.mute(until: 100, at: 3)
        stage.post("c", level: .critical, at: 4)
        stage.post("t", level: .timeSensitive, at: 4)
        #expect(stage.decision("c") == AlertDecision(.now, .critical, overridesSilentSwitch: true))
        #expect(stage.decision("t") == AlertDecision(.none, .muted))
    }

    @Test("E3: a mute is a register, whatever the order of arrival", arguments: 1...20 as ClosedRange<UInt64>)
    func converges(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let writes = (0..<24).map { number in
            let stamp = Stamp(
                time: .at(Double(number)), device: .phone, sequence: DeviceSequence(Int64(number + 1)))
            let until = Double(number + Int.random(in: 0..<9, using: &random))
            return Register<Timestamp?>(number % 3 == 0 ? nil : .at(until), stamp)
        }
        var (first, second) = (MuteHistory(), MuteHistory())
        for write in writes { _ = first.write(write.value, write.stamp) }
        for write in writes.shuffled(using: &random) { _ = second.write(write.value, write.stamp) }
        #expect(first == second, "seed \(seed)")
        #expect(first.writes == Array(writes.suffix(MuteHistory.limit)))
        #expect(first.until == writes.last?.value)
    }

    @Test("E5: the last 16 writes are remembered: a post from before them counts as not muted")
    func bound() {
        for count in [16, 17] {
            var stage = Stage.ready()
            stage.mute(until: 1_000, at: 1)
            for number in 1..<count { stage.mute(until: 1_000, at: 1 + Double(number)) }
            stage.post("a", at: 1.5, from: .tablet)
            #expect(stage.decision("a")?.alert == (count == 16 ? Alert.none : .now))
        }
    }
}
