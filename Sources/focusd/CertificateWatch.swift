import AdminPort
import Foundation
import KeyFiles
import Logging
import ServiceLifecycle
import SyncServer
import UnixSignals

/// Takes a new certificate without a restart: looks every 5 s whether its files say something else, and on SIGHUP reads
/// them whatever they say. Files that cannot be used change nothing, and are complained of once. Tells when the
/// certificate ends.
struct CertificateWatch: Service {
    private static let interval = Duration.seconds(5)

    /// The certificate and its key; none: there is no TLS.
    let files: [String]
    let server: SyncServer
    /// The port for machines, which has the same certificate; nil: there is none.
    let admin: AdminPort?
    /// SIGHUP, which ends a process that does not trap it: trapped before anybody can know of the process.
    let signals: UnixSignalsSequence
    /// Told of what SIGHUP asks for; nil: nobody is.
    let systemd: SystemdNotifier?
    let logger: Logger

    /// Looks until graceful shutdown.
    func run() async throws {
        let (looks, look) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals.cancelOnGracefulShutdown() { look.yield(true) } }
            group.addTask {
                while !Task.isCancelled, !Task.isShuttingDownGracefully {
                    await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
                    look.yield(false)
                }
                look.finish()
            }
            var (known, end) = (texts, CertificateEnd())
            end.tell(server.certificateEnd, logger)
            for await isAsked in looks {
                if isAsked, let systemd {
                    systemd.reloading { review(&known, isAsked: true) }
                } else {
                    review(&known, isAsked: isAsked)
                }
                end.tell(server.certificateEnd, logger)
            }
            group.cancelAll()
        }
    }

    /// - Parameter known: what the files held when they were last read.
    private func review(_ known: inout [String?], isAsked: Bool) {
        let texts = texts
        guard !files.isEmpty, isAsked || texts != known else { return }
        known = texts
        do {
            try server.reloadCertificate()
            try admin?.reloadCertificate()
            let end = server.certificateEnd.map(CertificateEnd.day) ?? ""
            logger.notice("the certificate was read again", metadata: ["ends": "\(end)"])
        } catch {
            logger.error("the certificate stays as it was", metadata: ["error": "\(error)"])
        }
    }

    /// What the files hold; one that cannot be read holds nothing.
    private var texts: [String?] { files.map { (try? SecretFile.read($0)) ?? nil } }
}

/// What the log was told of a certificate's end.
struct CertificateEnd {
    /// Seconds before its end. Whoever renews by hand needs some days.
    private static let soon = 14.0 * 86_400

    private var told: Logger.Level?

    /// Tells, once each, that the certificate ends soon, and that it has ended.
    /// - Parameter end: in seconds since 1970; nil: there is no certificate.
    mutating func tell(_ end: Int?, _ logger: Logger, now: Date = Date()) {
        guard let end else { return }
        let left = Double(end) - now.timeIntervalSince1970
        let level: Logger.Level? = left <= 0 ? .critical : left < Self.soon ? .warning : nil
        guard level != told else { return }
        told = level
        guard let level else { return }
        let text = left <= 0 ? "the certificate has ended: no device connects" : "the certificate ends soon"
        logger.log(level: level, "\(text)", metadata: ["ends": "\(Self.day(end))"])
    }

    /// - Parameter seconds: since 1970.
    static func day(_ seconds: Int) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}
