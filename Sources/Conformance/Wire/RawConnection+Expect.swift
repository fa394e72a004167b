import FocusCore

/// The messages that cases often wait for.
extension RawConnection {
    func welcome() async throws -> Welcome {
        try await first("Welcome") { message in
            if case .welcome(let welcome) = message { return welcome }
            if case .error(let error) = message {
                throw CaseFailure(
                    "Error \(error.code.rawValue) instead of Welcome: \(error.message)", code: error.code)
            }
            return nil
        }
    }

    /// The next acknowledgement; an Error before it fails the case.
    func appended() async throws -> Appended {
        try await first("Appended") { message in
            if case .appended(let appended) = message { return appended }
            if case .error(let error) = message {
                throw CaseFailure(
                    "Error \(error.code.rawValue) instead of Appended: \(error.message)", code: error.code)
            }
            return nil
        }
    }

    /// The answer to Recall.
    func recalled() async throws -> Recalled {
        try await first("Recalled") { message in
            if case .recalled(let recalled) = message { return recalled }
            if case .error(let error) = message {
                throw CaseFailure("Error \(error.code.rawValue) instead of Recalled: \(error.message)")
            }
            return nil
        }
    }

    func expectError(_ code: ErrorCode, _ when: String, within seconds: Double? = nil) async throws -> ProtocolError {
        let error = try await first("Error \(code.rawValue) \(when)", within: seconds) { message in
            if case .error(let error) = message { error } else { nil }
        }
        try expect(error.code == code, "\(error.code.rawValue) instead of \(code.rawValue) \(when)")
        return error
    }

    func expectGoAway(_ code: ErrorCode, within seconds: Double? = nil) async throws -> GoAway {
        let goAway = try await first("GoAway \(code.rawValue)", within: seconds) { message in
            if case .goAway(let goAway) = message { goAway } else { nil }
        }
        try expect(goAway.code == code, "GoAway \(goAway.code.rawValue) instead of \(code.rawValue)")
        return goAway
    }

    /// Waits until the server closes the connection, whatever it sends before.
    /// - Parameter seconds: how long to wait; nil: `patience`.
    func expectClosed(_ when: String, within seconds: Double? = nil) async throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(seconds ?? patience))
        do {
            while true { _ = try await next(within: max(0, (end - clock.now).inSeconds)) }
        } catch Silence.closed {
            return
        } catch Silence.late {
            throw CaseFailure("the connection stays open \(when)")
        }
    }

    /// The cursor of the next end of a snapshot or delta, or of the next checkpoint.
    func cursor() async throws -> Cursor {
        try await first("cursor") { $0.cursor }
    }
}

extension ServerMessage {
    /// The device's cursor after this message, if it carries one.
    var cursor: Cursor? {
        if case .delta(_, _, let cursor) = self { return cursor }
        if case .deltaEnd(let cursor) = self { return cursor }
        if case .snapshotEnd(let cursor) = self { return cursor }
        if case .checkpoint(let cursor, _) = self { return cursor }
        return nil
    }

    /// The rows of a snapshot or delta; empty for other messages.
    var rows: [DeltaRow] {
        if case .delta(_, let rows, _) = self { return rows }
        if case .deltaRows(let rows) = self { return rows }
        if case .snapshotRows(let rows) = self { return rows }
        return []
    }

    /// Whether the message is one that a device must apply.
    var movesRows: Bool {
        if case .deltaBegin = self { return true }
        return isSnapshotBegin || cursor != nil || !rows.isEmpty
    }

    var isSnapshotBegin: Bool { if case .snapshotBegin = self { true } else { false } }
}
