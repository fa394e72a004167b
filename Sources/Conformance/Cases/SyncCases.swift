import FocusCore

/// S1–S3, S5, S7: snapshots and deltas. `Replica` throws at whatever is out of order, and compares every digest (S9).
enum SyncCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("S1", "without a cursor a snapshot, then live, with nothing missed or doubled") { context in
            let phone = Device.ofNewUser()
            let writer = try await context.open(phone)
            try await writer.appendAccepted(Envelope.setUp("a") + (1...40).map { .post("n\($0)", app: "a") })
            let tablet = try await context.open(phone.sibling())
            let version = try await writer.appendAccepted((41...80).map { .post("n\($0)", app: "a") })
            var replica = Replica()
            try await replica.follow(tablet.connection, to: version)
            try expect(replica.snapshots == 1, "\(replica.snapshots) snapshots")
            try expect(replica.keys(of: .notifications).count == 80, "not all 80 notifications are there")
            let posts = replica.received.filter { $0.collection == .notifications }
            try expect(posts.count == Set(posts).count, "a notification came twice")
        },
        ConformanceCase("S1", "a user without events gets an empty snapshot, and then the first event live") {
            context in
            let phone = Device.ofNewUser()
            let tablet = try await context.open(phone.sibling())
            var replica = Replica()
            try await replica.follow(tablet.connection, "first checkpoint") { $0.snapshots == 1 && $0.isConfirmed }
            try expect(replica.rows.isEmpty && replica.version == .zero, "there is something in it")
            let version = try await context.open(phone).appendAccepted(Envelope.setUp("a"))
            try await replica.follow(tablet.connection, to: version)
            try expect(replica.snapshots == 1, "a second snapshot")
        },
        ConformanceCase("S1", "rows that change, come and go while the snapshot is being sent are right in the end") {
            context in
            let heavy = try await context.crowd.heavy(context)
            let slow = try await context.openDeaf(heavy.device.sibling())
            // The snapshot is larger than what the sockets hold, so its end is sent after these changes.
            let writer = try await context.open(heavy.device.sibling())
            var version = try await writer.appendAccepted(Envelope.setUp("during"))
            for round in 0..<5 {
                version = try await writer.appendAccepted([
                    .post("new\(round)", app: "during"), .post("same", app: "during", body: "\(round)"),
                    .post("n\(round)", app: "heavy", body: "changed"),
                    .post("n\(Crowd.notifications - 10 - round)", app: "heavy", body: "changed too"),
                ])
            }
            version = try await writer.appendAccepted([.remove(["new0"], app: "during")])
            var replica = Replica()
            try await slow.listen()
            try await replica.follow(slow, to: version)
            try expect(replica.snapshots == 1, "\(replica.snapshots) snapshots")
            let added = replica.rows.keys.filter { $0.collection == .notifications && $0.app == AppID("during") }
            try expect(
                Set(added.map(\.key)) == ["new1", "new2", "new3", "new4", "same"], "there are \(added.map(\.key))")
        },
        ConformanceCase("S2", "with a cursor a delta of the rows changed since, each once, deletions too; then live") {
            context in
            let phone = Device.ofNewUser()
            let writer = try await context.open(phone)
            var version = try await writer.appendAccepted(
                Envelope.setUp("a") + (1...5).map { .post("n\($0)", app: "a") })
            let tablet = phone.sibling()
            var replica = Replica()
            try await replica.follow(try await context.open(tablet).connection, to: version)
            let from = replica.received.count
            version = try await writer.appendAccepted([
                .post("n2", app: "a", body: "x"), .post("n2", app: "a", body: "y"), .remove(["n1"], app: "a"),
            ])
            let again = try await context.open(tablet, cursor: replica.cursor)
            try await replica.follow(again.connection, to: version)
            let came = replica.received[from...]
            try expect(came.count == Set(came).count, "a row came twice: \(came.map(\.key))")
            let posts = came.filter { $0.collection == .notifications }.map(\.key).sorted()
            try expect(posts == ["n1", "n2"], "notifications \(posts) came instead of n1 and n2")
            try expect(replica.keys(of: .notifications) == ["n2", "n3", "n4", "n5"], "n1 is still there")
            version = try await writer.appendAccepted([.post("n6", app: "a")])
            try await replica.follow(again.connection, to: version)
            try expect(replica.snapshots == 1, "a snapshot although the cursor was good")
            try await context.expectSame(replica, as: tablet)
        },
        ConformanceCase("S2", "a row deleted and made again while a device is offline is there, as it is now") {
            context in
            let phone = Device.ofNewUser()
            let writer = try await context.open(phone)
            var version = try await writer.appendAccepted(
                Envelope.setUp("a") + [.post("again", app: "a", body: "old"), .post("gone", app: "a")])
            let tablet = phone.sibling()
            var replica = Replica()
            try await replica.follow(try await context.open(tablet).connection, to: version)
            let key = RowKey(.notifications, app: AppID("a"), key: "again")
            let old = replica.rows[key]
            try await writer.appendAccepted([.remove(["again", "gone"], app: "a"), .post("brief", app: "a")])
            version = try await writer.appendAccepted([
                .post("again", app: "a", body: "new"), .remove(["brief"], app: "a"),
            ])
            try await replica.follow(try await context.open(tablet, cursor: replica.cursor).connection, to: version)
            try expect(replica.keys(of: .notifications) == ["again"], "listed: \(replica.keys(of: .notifications))")
            try expect(replica.rows[key] != nil && replica.rows[key] != old, "the row is as it was before")
            try expect(replica.snapshots == 1, "a snapshot although the cursor was good")
            try await context.expectSame(replica, as: tablet)
        },
        ConformanceCase("S3", "disconnected in the middle of a snapshot, the device starts over and ends right") {
            context in
            let heavy = try await context.crowd.heavy(context)
            let device = heavy.device.sibling()
            var begun = 0
            for _ in 0..<2 {
                let live = try await context.open(device)
                var rows = 0
                // The connection is cut after a few pages.
                while rows < 20 {
                    let message = try await live.connection.next()
                    if message.isSnapshotBegin { begun += 1 }
                    try expect(message.cursor == nil, "a cursor before the snapshot was whole")
                    rows += message.rows.count
                }
                await live.connection.close()
            }
            try expect(begun == 2, "\(begun) snapshots begun on two connections")
            var replica = Replica()
            try await replica.follow(try await context.open(device).connection, to: heavy.version)
            try expect(replica.snapshots == 1, "\(replica.snapshots) snapshots on the third connection")
        },
        ConformanceCase("S3", "disconnected in the middle of a delta, the same cursor brings all of it again") {
            context in
            let heavy = try await context.crowd.heavy(context)
            // The cursor is for this class of device.
            let device = heavy.device.sibling(deviceClass: heavy.device.deviceClass)
            let cut = try await context.open(device, cursor: heavy.early)
            var rows = 0
            while rows < 20 {
                let message = try await cut.connection.next()
                try expect(!message.isSnapshotBegin, "a snapshot although the cursor was good")
                try expect(message.cursor == nil, "8 MB in one delta message")
                rows += message.rows.count
            }
            await cut.connection.close()
            var replica = Replica()
            try await replica.follow(try await context.open(device, cursor: nil).connection, to: heavy.version)
            let whole = replica.rows.count
            let again = try await context.open(device, cursor: heavy.early)
            var since: Set<RowKey> = []
            var cursor: Cursor?
            while cursor == nil || cursor!.version < heavy.version {
                let message = try await again.connection.next()
                since.formUnion(message.rows.map(\.key))
                cursor = message.cursor ?? cursor
            }
            try expect(since.count >= Crowd.notifications * 2, "the delta has \(since.count) rows of \(whole)")
        },
        ConformanceCase("S5", "a cursor older than the tombstones that are kept gets a snapshot") { context in
            let phone = Device.ofNewUser()
            let writer = try await context.open(phone)
            var version = try await writer.appendAccepted(Envelope.setUp("a") + [.post("before", app: "a")])
            let tablet = phone.sibling()
            var replica = Replica()
            try await replica.follow(try await context.open(tablet).connection, to: version)
            // Removing 6,000 notifications and their alerts leaves 12,000 tombstones, of which 10,000 are kept, half of either.
            for batch in 0..<12 {
                try await writer.appendAccepted((0..<500).map { .post("\(batch)-\($0)", app: "a") })
            }
            for batch in 0..<12 {
                version = try await writer.appendAccepted([.remove((0..<500).map { "\(batch)-\($0)" }, app: "a")])
            }
            let again = try await context.open(tablet, cursor: replica.cursor)
            try await replica.follow(again.connection, to: version)
            try expect(replica.snapshots == 2, "a delta across dropped tombstones")
            try expect(replica.keys(of: .notifications) == ["before"], "deleted rows are still there")
        },
        ConformanceCase("S7", "collections filter rows and digests, and an idle filtered cursor still advances") {
            context in
            let phone = Device.ofNewUser()
            let display = try await context.open(phone.sibling(collections: [.badges]))
            let writer = try await context.open(phone)
            var version = try await writer.appendAccepted(Envelope.setUp("a"))
            var replica = Replica()
            // From here on the device's checkpoint is up to date, so the next one can only come for the cursor.
            try await replica.follow(display.connection, to: version)
            for number in 0..<3 {
                version = try await writer.appendAccepted([
                    .of(.focusConfigured(FocusConfigured(focusID: "f\(number)", name: "Focus")))
                ])
            }
            try await replica.follow(display.connection, to: version)
            let others = replica.received.filter { $0.collection != .badges }
            try expect(others.isEmpty, "rows of other collections came: \(others.prefix(3))")
            try expect(!replica.rows.isEmpty, "the badge is missing")
        },
        ConformanceCase("S7", "a collection that the server does not know has no rows, and is no error") { context in
            let phone = Device.ofNewUser()
            let version = try await context.open(phone).appendAccepted(Envelope.setUp("a"))
            // Hello.collections = ["later"], encoded by hand, because this program knows no such collection.
            let token = try await context.token(phone.sibling())
            var hello: [UInt8] = [0x08, 1, 0x10, 1, 0x1A]
            hello += varint(token.utf8.count) + Array(token.utf8) + [0x20, 1, 0x29] + Array(repeating: 7, count: 8)
            hello += [0x3A, 5] + Array("later".utf8)
            let message = [0x0A] + varint(hello.count) + hello
            let connection = try await context.connect()
            try await connection.send(
                bytes: withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message)
            _ = try await connection.welcome()
            var replica = Replica()
            try await replica.follow(connection, to: version)
            try expect(
                replica.rows.isEmpty, "rows of collections that were not asked for: \(replica.received.prefix(3))")
        },
    ]

    private static func varint(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
