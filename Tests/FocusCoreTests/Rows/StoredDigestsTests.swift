import SeededNumbers
import Testing

@testable import FocusCore

/// The digest sums that stand beside a user's rows in the read model.
@Suite("StoredDigests") struct StoredDigestsTests {
    private static let views: [View] = HistoryMaker.devices.flatMap { device in
        DeviceClass.allCases.flatMap { deviceClass in
            [Scope.system, .app(.chat), .app(.mail)].flatMap { scope in
                [true, false].flatMap { isProven in
                    let view = View(
                        scope: scope, device: device, deviceClass: deviceClass, isClassProven: isProven)
                    return scope == .system ? [view] : [view, view.silenced]
                }
            }
        }
    }

    private func stored(_ state: inout UserState) throws -> (StoredDigests, bytes: [UInt8]) {
        let sums = state.storedDigests(hashingAtMost: .max)
        let bytes = try #require(sums?.encoded)
        return (try StoredDigests(decoding: bytes), bytes)
    }

    @Test(
        "S9: the sums give every view the digests that the rows give it, also after their way through the read model",
        arguments: 1...8 as ClosedRange<UInt64>)
    func views(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        stage.set(on: .watch, previews: .never, at: 0)
        for step in 0..<150 {
            HistoryMaker.step(&stage, at: Double(step), using: &random)
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            let (sums, _) = try stored(&stage.state)
            for view in Self.views {
                #expect(sums.digests(in: view) == stage.state.digests(in: view), "seed \(seed), step \(step)")
            }
        }
        let (_, bytes) = try stored(&stage.state)
        var loaded = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(try stored(&loaded).bytes == bytes, "seed \(seed): equal rows have equal bytes")
    }

    @Test("A choice of collections is a view like any other, and a user without rows has the sums of none")
    func some() throws {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        let view = View(scope: .system, device: .phone, deviceClass: .phone, collections: [.badges, .apps])
        #expect(try stored(&stage.state).0.digests(in: view) == stage.state.digests(in: view))
        var empty = UserState(user: .ada)
        #expect(StoredDigests.none.digests(in: view) == empty.digests(in: view))
        #expect(try stored(&empty).0.digests(in: view) == empty.digests(in: view))
    }

    @Test("No more rows than that are hashed for the sums: one more, and there are none")
    func limit() throws {
        var stage = Stage.ready()
        _ = stage.state.storedDigests(hashingAtMost: .max)
        let before = stage.state.shared.store.unhashed.count
        stage.post("n", at: 1)
        let count = stage.state.shared.store.unhashed.count
        #expect(before == 0 && count > 1)
        #expect(stage.state.storedDigests(hashingAtMost: count - 1) == nil)
        #expect(stage.state.shared.store.unhashed.count == count)
        #expect(stage.state.storedDigests(hashingAtMost: count) != nil)
        #expect(stage.state.storedDigests(hashingAtMost: 0) != nil)
    }

    @Test("Sums that are too large are not stored, and 8 KiB of them are read")
    func size() throws {
        func sums(_ apps: Int) throws -> StoredDigests {
            var sums = DigestSums()
            for number in 0..<apps {
                let app = try #require(AppID("com.example.app\(1_000 + number)"))
                let key = RowKey(.badges, app: app)
                sums.add(RowHash(key, value: [1]), key)
            }
            return StoredDigests(sums, HiddenPreviews())
        }
        let most = try #require((1...400).last { try sums($0).encoded != nil })
        let bytes = try #require(try sums(most).encoded)
        #expect((StoredDigests.byteLimit - 64...StoredDigests.byteLimit).contains(bytes.count))
        let read = try StoredDigests(decoding: bytes)
        #expect(read.sums.groups == (try sums(most)).sums.groups)
        #expect(throws: ProtoError.self) {
            try StoredDigests(decoding: [UInt8](repeating: 0, count: StoredDigests.byteLimit + 1))
        }
    }

    @Test("Bytes that nobody wrote are refused or give some digests: nothing traps", arguments: [1, 2, 3])
    func garbage(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        stage.set(on: .watch, previews: .never, at: 0)
        for step in 0..<60 { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        let (_, bytes) = try stored(&stage.state)
        var refused = 0
        for length in 0..<bytes.count {
            do {
                _ = try StoredDigests(decoding: Array(bytes[..<length])).digests(in: Self.views[0])
            } catch {
                refused += 1
            }
        }
        #expect(refused > bytes.count / 2)
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let read = try? StoredDigests(decoding: changed) else { continue }
            for view in Self.views { _ = read.digests(in: view) }
            _ = read.encoded
        }
    }

    @Test("Counts past any sense, places without an app, the same sum twice and other formats are refused")
    func refused() {
        func bytes(
            format: UInt64 = 1, collection: String = "badges", app: UInt64 = 1, count: Int64 = 1, device: String = "",
            digest: Int = 16, times: Int = 1
        ) -> [UInt8] {
            var writer = ProtoWriter()
            writer.varint(1, format)
            writer.presentString(2, "com.example.mail")
            writer.message(3) { message in
                message.string(1, collection)
                for _ in 0..<times {
                    message.message(2) { sum in
                        sum.varint(1, app)
                        sum.string(2, device)
                        sum.int(3, count)
                        sum.data(4, [UInt8](repeating: 1, count: digest))
                    }
                }
            }
            return writer.bytes
        }
        #expect(throws: Never.self) { try StoredDigests(decoding: bytes()) }
        let wrong = [
            bytes(format: 2), bytes(collection: "unheard_of"), bytes(collection: "devices"), bytes(app: 2),
            bytes(count: -1), bytes(count: .max), bytes(count: 1 << 40 + 1), bytes(device: "x"), bytes(digest: 15),
            bytes(times: 2), [],
        ]
        for (index, bytes) in wrong.enumerated() {
            #expect(throws: ProtoError.self, "\(index)") { try StoredDigests(decoding: bytes) }
        }
    }
}
