import FocusCore
import Foundation

/// A3: a device that was lost or stolen.
enum RevocationCases {
    /// The limit in seconds. The rule says 1 s, on a machine that is not loaded; here the commit and the network are
    /// counted too.
    private static let limit = 30.0

    static let all: [ConformanceCase] = [
        ConformanceCase(
            "A3", "a revoked device is cut off within a second, and hears nothing of what came after", limit: limit,
            measured: { context in try await revoke(context, toSecond: false) }),
        ConformanceCase(
            "A3", "it is cut off as soon where another server serves it, and no server lets it in again",
            needs: [.secondServer], limit: limit, measured: { context in try await revoke(context, toSecond: true) }),
        ConformanceCase("A3", "a device that revokes itself gets its Appended first, and is not let in again") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.append(Envelope.setUp("a") + [revoked(device)])
            try await expectCutOff(live.connection)
            try await expectRefused(context, device, toSecond: false)
            // Other devices of the user are not affected.
            try await context.open(device.sibling()).appendAccepted([.post("n", app: "a")])
        },
        ConformanceCase("A3", "a device that was seen is revoked also past the bound of invented ones") { context in
            let thief = Device.ofNewUser()
            let (known, reader) = (thief.sibling(), thief.sibling())
            try await context.open(known).appendAccepted(Envelope.setUp("a"))
            // A server knows of its own connections alone, so both are on the same one.
            let reading = try await context.pinned.open(reader)
            let live = try await context.pinned.open(thief)
            for _ in 0..<2 {
                let invented = (0..<501).map { _ in
                    Envelope.of(.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))))
                }
                let codes = Set(try await live.append(invented).refused.map(\.code))
                try expect(codes.isSubset(of: ["too_many"]), "revocations are refused with \(codes)")
            }
            let last = Envelope.of(.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))))
            try expect(
                try await live.append([last]).refused.map(\.code) == ["too_many"],
                "a user's devices revoke any number of ids that were never seen")
            try await live.appendAccepted([revoked(known), revoked(reader)])
            try await expectCutOff(reading.connection)
            try await expectRefused(context, known, toSecond: false)
        },
    ]

    private static func revoked(_ device: Device) -> Envelope {
        .of(.deviceRevoked(DeviceRevoked(device: device.id)))
    }

    /// Revokes a device while it is connected.
    /// - Returns: how many seconds after the append it was cut off.
    private static func revoke(_ context: CaseContext, toSecond: Bool) async throws -> Double {
        let owner = Device.ofNewUser()
        let live = try await context.open(owner)
        let lost = owner.sibling()
        let doomed = try await context.open(lost, toSecond: toSecond)
        var version = try await live.appendAccepted(Envelope.setUp("a") + [.post("before", app: "a")])
        var replica = Replica()
        try await replica.follow(doomed.connection, to: version)
        let clock = ContinuousClock()
        let begin = clock.now
        try await live.send([revoked(lost), .post("after", app: "a")])
        let rows = try await expectCutOff(doomed.connection)
        let seconds = (clock.now - begin).inSeconds
        try expect(!rows.contains { $0.key.key == "after" }, "it was sent what came after its revocation")
        for isSecond in Set([false, toSecond]) { try await expectRefused(context, lost, toSecond: isSecond) }
        // Both servers have what was appended since.
        version = try await live.appendAccepted([.post("later", app: "a")])
        try expect(live.events(version) == 6, "the log has \(live.events(version)) events instead of 6")
        var fresh = Replica()
        try await fresh.follow(try await context.open(owner.sibling(), toSecond: toSecond).connection, to: version)
        try expect(fresh.keys(of: .notifications) == ["after", "before", "later"], "others do not get their rows")
        return seconds
    }

    /// Waits for the GoAway and the end of the connection.
    /// - Returns: the rows that came before the end.
    @discardableResult
    private static func expectCutOff(_ connection: RawConnection) async throws -> [DeltaRow] {
        var rows: [DeltaRow] = []
        let clock = ContinuousClock()
        // One deadline for all messages: heartbeats and further rows do not extend it.
        let end = clock.now.advanced(by: .seconds(connection.patience))
        do {
            while true {
                let message = try await connection.next(within: max(0, (end - clock.now).inSeconds))
                rows += message.rows
                if case .goAway(let goAway) = message {
                    try expect(
                        goAway.code == .unauthenticated || goAway.code == .revoked, "GoAway \(goAway.code.rawValue)")
                }
            }
        } catch Silence.closed {
            return rows
        } catch Silence.late {
            throw CaseFailure("a revoked device's connection stays open")
        }
    }

    /// The server must tell the revoked device that it is, so that it erases what it holds, and say nothing of that to
    /// who has no token of it.
    private static func expectRefused(_ context: CaseContext, _ device: Device, toSecond: Bool) async throws {
        let asked = [(try await context.token(device), ErrorCode.revoked), ("x", .unauthenticated)]
        for (token, code) in asked {
            let connection = try await context.connect(as: device, toSecond: toSecond)
            try await connection.send(device.hello(token: token))
            _ = try await connection.expectError(code, "for a revoked device")
            try await connection.expectClosed("after \(code.rawValue)")
        }
    }
}
