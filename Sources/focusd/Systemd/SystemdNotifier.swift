import Foundation
import Logging
import ServiceLifecycle

/// Tells systemd how the server does (`Type=notify`, sd_notify(3)): that it serves devices, that it lives, that it reads
/// its certificate again, and that it stops.
///
/// It is the last of the services: services stop from the last to the first, so systemd hears of a stop at once.
struct SystemdNotifier: Service {
    private let socket: NotifySocket
    /// Between two signs of life: half of the time after which systemd ends a server without them (`WatchdogSec=`). Nil:
    /// systemd waits for none.
    let beat: Duration?
    /// What `systemctl status` shows.
    private let status: String
    /// The threads that hang; a server with such threads gives no sign of life.
    private let hanging: @Sendable () -> [String]
    private let logger: Logger

    /// Nil: nobody is to be told.
    init?(
        _ environment: [String: String], status: String, logger: Logger, hanging: @escaping @Sendable () -> [String]
    ) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        socket = NotifySocket(name: name)
        beat = Self.beat(environment)
        (self.status, self.hanging, self.logger) = (status, hanging, logger)
    }

    private static func beat(_ environment: [String: String]) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let limit = Int64(text), limit > 1 else { return nil }
        // The variables of a service may reach a program that it starts.
        if let process = environment["WATCHDOG_PID"], process != String(getpid()) { return nil }
        return .microseconds(limit / 2)
    }

    /// Tells until graceful shutdown.
    func run() async throws {
        tell("READY=1\nSTATUS=\(status)")
        await cancelWhenGracefulShutdown {
            if let beat { await giveSigns(every: beat) }
        }
        try? await gracefulShutdown()
        tell("STOPPING=1\nSTATUS=stops: devices are sent away")
    }

    /// Does what SIGHUP asks for.
    func reloading(_ body: () -> Void) {
        tell("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
        body()
        tell("READY=1")
    }

    private func giveSigns(every beat: Duration) async {
        var told: [String] = []
        while !Task.isCancelled {
            let hanging = hanging()
            if hanging.isEmpty { tell("WATCHDOG=1") }
            if hanging != told, !hanging.isEmpty {
                logger.critical("hangs: systemd is given no sign of life", metadata: ["threads": "\(hanging)"])
            }
            told = hanging
            // Cancelled by the shutdown.
            try? await Task.sleep(for: beat)
        }
    }

    /// What cannot be told is logged: the server goes on, and systemd ends it if it waits for that.
    private func tell(_ text: String) {
        do throws(NotifySocketError) {
            try socket.send(text)
        } catch {
            logger.error("systemd was not told", metadata: ["error": "\(error)"])
        }
    }
}
