import FocusCore

/// L6: which device the person uses, as its sessions report it.
enum ActivityCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("L6", "an alert rings first on the device that reports its use, until its session ends") {
            context in
            let device = Device.ofNewUser()
            let owner = try await context.open(device)
            var replica = Replica()
            try await replica.follow(owner.connection, to: owner.appendAccepted(Envelope.setUp("a")))
            let desktop = device.sibling(deviceClass: .desktop)
            let live = try await context.open(desktop)
            try await live.connection.send(.active(true, app: nil))
            try await untilFirst(desktop.id, owner, &replica, context)
            try await live.connection.send(.bye)
            try await untilFirst(nil, owner, &replica, context)
        },
        ConformanceCase("L6", "an app reports itself alone, and nothing answers it") { context in
            let device = Device.ofNewUser()
            let owner = try await context.open(device)
            let setUp = Envelope.setUp("a") + Envelope.setUp("b")
            var replica = Replica()
            try await replica.follow(owner.connection, to: owner.appendAccepted(setUp))
            let app = device.sibling(scope: AppID("a").map(Scope.app) ?? .system)
            let live = try await context.open(app)
            try await live.connection.send(.active(true, app: AppID("b")))
            // Its own app is in front once its report is heard; the other one never is.
            try await until("the app is in front", owner, &replica, context) { $0?.decision.reason == .inFront }
            try await replica.follow(owner.connection, to: owner.appendAccepted([.post("other", app: "b")]))
            let other = alert("other", "b", in: replica)
            try expect(other?.decision.alert == .now, "the other app is not rung for: \(String(describing: other))")
            try await live.connection.send(.ping(6))
            _ = try await live.connection.first("Pong") {
                if case .error(let error) = $0 { throw CaseFailure("a report is answered by \(error.code)") }
                if case .pong(6) = $0 { return true }
                return nil
            }
        },
    ]

    /// Posts until alerts ring first on the device; nil: on all at once.
    private static func untilFirst(
        _ device: DeviceID?, _ owner: Live, _ replica: inout Replica, _ context: CaseContext
    ) async throws {
        try await until("alerts ring first on \(device.map { "\($0)" } ?? "all devices")", owner, &replica, context) {
            $0.map { $0.decision.alert == .now && $0.firstDevice == device } ?? false
        }
    }

    /// Posts until an alert comes out so: a report is not answered, so nothing tells when it counts.
    private static func until(
        _ what: String, _ owner: Live, _ replica: inout Replica, _ context: CaseContext,
        _ isTrue: (AlertRow?) -> Bool
    ) async throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(context.patience))
        var number = 0
        while clock.now < end {
            number += 1
            try await replica.follow(owner.connection, to: owner.appendAccepted([.post("n\(number)", app: "a")]))
            if isTrue(alert("n\(number)", "a", in: replica)) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CaseFailure("never in \(context.patience) s: \(what)")
    }

    private static func alert(_ id: String, _ app: String, in replica: Replica) -> AlertRow? {
        replica.rows[RowKey(.alerts, app: AppID(app), key: id)].flatMap { try? AlertRow(decoding: $0) }
    }
}
