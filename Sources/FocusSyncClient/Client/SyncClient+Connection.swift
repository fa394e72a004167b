import FocusCore

extension SyncClient {
    /// Makes connection after connection, until there is a reason to stop.
    func run() async {
        attempts = 0
        while !Task.isCancelled, fatal == nil {
            let welcomesBefore = welcomes
            let end = await withNewToken(runConnection())
            if case .failed(let error) = end { fatal = fatal ?? (error.code == .revoked ? erase() : .refused(error)) }
            guard fatal == nil, !Task.isCancelled else { break }
            attempts = welcomes > welcomesBefore ? 0 : attempts + 1
            if let maximum = configuration.maximumAttempts, attempts >= maximum {
                fatal = .unreachable(attempts: attempts, last: lastProblem ?? "The connection was lost.")
                break
            }
            if case .reconnect(let bounds, let cause) = end {
                await pause(bounds, cause)
            }
        }
        runner = nil
        if let fatal { configuration.onUpdate(.stopped(fatal)) }
        submissions.failAll(fatal ?? .closed)
        waiters.failAll(fatal ?? SyncClientError.closed)
        fetches.failAll(fatal ?? SyncClientError.closed)
    }

    /// Erases the store of a revoked device (rule A3), and shows that its rows are gone.
    /// - Returns: what ends the client.
    private func erase() -> SyncClientError {
        do {
            let gone = try store.erase()
            try publishConfirmed(gone)
            configuration.onUpdate(.erased)
            return .revoked
        } catch {
            return .store("This device was revoked, and its store cannot be erased: \(error)")
        }
    }

    private func pause(_ bounds: ClosedRange<Int64>?, _ cause: ProtocolError?) async {
        var generator = SystemRandomNumberGenerator()
        let wait = backoff.next(within: bounds, using: &generator)
        if let cause { lastProblem = "\(cause.code.rawValue): \(cause.message)" }
        configuration.onUpdate(
            .disconnected(lastProblem ?? "The connection was lost.", retryAfterMilliseconds: wait))
        // `close` cancels this task, and the loop ends; `networkDidChange` cancels it, and the loop goes on.
        let pausing = Task { _ = try? await Task.sleep(for: .milliseconds(wait)) }
        self.pausing = pausing
        await pausing.value
        self.pausing = nil
    }

    private func runConnection() async -> ClientEnd {
        ending = nil
        do {
            let hello = try makeHello()
            helloToken = hello.token
            let connection = try await SyncConnection.connect(
                to: configuration.server, security: configuration.security, group: configuration.group)
            defer { connection.close() }
            guard !Task.isCancelled else { return .reconnect(milliseconds: 0...0, cause: nil) }
            session = ClientSession(
                hello: hello, queue: try store.queueRange, answered: try store.lastAnswered,
                isHealing: try store.isHealing, isRecalling: try store.isRecalling,
                ended: try store.endedIncarnations(), log: try store.log)
            self.connection = connection
            defer {
                self.connection = nil
                session = nil
                stopTimer()
            }
            helloSentAt = DeviceTime.uptime
            perform { $0.connected(now: .now) }
            try await serve(connection)
            perform { $0.disconnected() }
        } catch {
            recordProblem(error)
        }
        return ending ?? .reconnect(milliseconds: nil, cause: nil)
    }

    private func serve(_ connection: SyncConnection) async throws {
        do {
            for try await message in connection.messages {
                perform { $0.receive(message, now: .now) }
                guard ending == nil, fatal == nil else { return }
            }
        } catch {
            lastProblem = "The connection failed: \(ConnectionProblem.text(error))"
        }
    }

    private func makeHello() throws -> Hello {
        Hello(
            minimumProtocol: FocusSyncClient.protocolVersions.lowerBound,
            maximumProtocol: FocusSyncClient.protocolVersions.upperBound, token: token,
            deviceClass: configuration.deviceClass, incarnation: try store.incarnation, cursor: try store.cursor,
            collections: configuration.collections)
    }

    /// Keeps an error's text. A connection that cannot be made is tried again; a store that cannot be used ends the
    /// client.
    private func recordProblem(_ error: any Error) {
        lastProblem = "\(error)"
        switch error {
        case SyncClientError.cannotConnect: break
        case let error as SyncClientError: fatal = error
        default: fatal = .store("\(error)")
        }
    }

    // MARK: Time

    /// A deadline that moved later is met when the timer fires: messages do not touch it.
    func schedule() {
        guard let deadline = session?.deadline, deadline < timerFires else { return }
        timer?.cancel()
        timerFires = deadline
        let wait = max(0, deadline - .now)
        timer = Task {
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            self.tick()
        }
    }

    private func tick() {
        timerFires = MonotonicTime(milliseconds: .max)
        perform { $0.tick(now: .now) }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
        timerFires = MonotonicTime(milliseconds: .max)
    }
}
