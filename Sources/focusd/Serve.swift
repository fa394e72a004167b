import ArgumentParser
import EventStore
import FocusCore
import Foundation
import KeyFiles
import Logging
import SyncServer
import UnixSignals

/// The command `focusd serve`: opens the database, starts the server and runs it until SIGTERM or SIGINT (rule G1).
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve devices until SIGTERM or SIGINT.",
        discussion: """
            Without --database it runs its own PostgreSQL in the data directory: durable, on a private socket, no TCP.
            Prints one line `focusd ready listen=… database=…` on stdout when it accepts; logs go to stderr.
            Keys of tokens and the certificate change without a restart: it looks at their files every 5 seconds, and at
            the certificate's on SIGHUP. Every option may also stand in the environment or in a file: focusd config.

            Examples:
              focusd serve --plaintext
              focusd serve --listen 0.0.0.0:7464 --tls-cert chain.pem --tls-key key.pem
              focusd serve --plaintext --database postgres://focusd@db.internal/focus
              focusd serve --plaintext --config /etc/focusd.json

            Exit codes: 0 stopped as asked, 1 failed, 2 usage.
            """)

    @Option(help: "JSON file of settings, for options that are not given here. Default: FOCUSD_CONFIG.")
    var config: String?
    @Option(
        help: """
            Where the embedded PostgreSQL and the token key live. Default: /var/lib/focusd for root, else \
            ~/.local/share/focusd.
            """)
    var dataDir: String?
    @Option(help: "A PostgreSQL server to use instead: postgres://user@host/database. Its role must own the schema.")
    var database: String?
    @Option(help: "The same database without a pooler in between, for LISTEN and NOTIFY. Default: --database.")
    var directDatabase: String?
    @Option(help: "Address and port to listen on.")
    var listen = "127.0.0.1:7464"
    @Flag(help: "No TLS. Loopback only.")
    var plaintext = false
    @Option(help: "PEM file: the certificate and its chain.")
    var tlsCert: String?
    @Option(help: "PEM file: the certificate's key.")
    var tlsKey: String?
    @Option(help: "How many partitions a new log gets. Fixed for good when the log is made.")
    var partitions: Int32 = 16
    @Option(
        help: """
            File with the keys that tokens are checked with: several that `focusctl keys` keeps or an issuer publishes \
            (a JWK Set), or one alone: an HS256 secret in hex, or an Ed25519 public key (PEM). Default: token.key in the \
            data directory.
            """)
    var tokenKey: String?
    @Option(help: "What tokens must have as their issuer (iss). Default: anything, or nothing.")
    var tokenIssuer: String?
    @Option(help: "What must be in the audience (aud) of tokens. Default: anything, or nothing.")
    var tokenAudience: String?
    @Option(
        help: """
            File with the secret (64 hex digits or more) of the receipts by which devices give a restored log back what \
            it lost. The same on every server of the log, and kept apart from its backups. Default: receipt.key in the \
            data directory; beside --database, the secret in --token-key if that holds one secret alone.
            """)
    var receiptKey: String?
    @Option(
        help: "Memory for users' states: past it those not used for long are dropped, and loaded again when needed.")
    var cache = MemorySize(bytes: 1 << 30)
    @Option(
        help: "Memory that one user's state may take. Devices that append more are answered quota_exceeded (rule Q4).")
    var userLimit = MemorySize(bytes: 64 << 20)
    @Option(help: "trace, debug, info, notice, warning, error or critical (what each means: ops/README.md).")
    var logLevel: Logger.Level = .info
    @Option(help: "How lines are logged on stderr: text for people, or json, an object a line.")
    var logFormat = LogLayout.text
    @Option(help: "Seconds between users whose read model is compared with their events, in the background. 0: never.")
    var verifyInterval = 1.0
    @OptionGroup var adminPort: AdminOptions
    @Option(help: "Connections at a time. Default: 20000, or as many as the limit of open files allows (ulimit -n).")
    var connections: Int?
    @Option(help: "Connections at a time from one address (IPv6: from one /64).")
    var connectionsPerAddress = ConnectionLimits().perAddress
    @Option(help: "TLS handshakes that one address begins in a minute; more of them wait (rule Q8).")
    var handshakesPerAddress = ConnectionLimits().handshakesPerAddress
    @Flag(help: "Bound the connections from loopback too.")
    var limitLoopback = false
    @Option(
        help: """
            Addresses (CIDR, like 10.0.0.0/8) of proxies that name their clients by the PROXY protocol, version 2. May \
            be given several times.
            """)
    var trustedProxy: [String] = []
    @Option(help: "Events that a device may append in a day; more is answered quota_exceeded (rule Q5).")
    var eventsPerDay = SessionLimits().eventsPerDay
    @Option(help: "Bytes of payloads that a device may append in a day.")
    var bytesPerDay = MemorySize(bytes: SessionLimits().bytesPerDay)
    @Flag(help: "Do not use prepared statements (PgBouncer in transaction mode).")
    var noPrepared = false

    func validate() throws {
        guard database == nil || dataDir == nil || tokenKey == nil else {
            throw ValidationError(
                "--data-dir only holds the token key beside --database; give --token-key or --data-dir.")
        }
        guard directDatabase == nil || database != nil else {
            throw ValidationError("--direct-database goes with --database.")
        }
        guard (1...1024).contains(partitions) else { throw ValidationError("--partitions is 1 to 1024.") }
        if let connections, !(1...1_000_000).contains(connections) {
            throw ValidationError("--connections is 1 to 1000000.")
        }
        guard connectionsPerAddress >= 1 else { throw ValidationError("--connections-per-address is at least 1.") }
        guard handshakesPerAddress >= 60 else { throw ValidationError("--handshakes-per-address is at least 60.") }
        for range in trustedProxy where AddressRange(range) == nil {
            throw ValidationError("--trusted-proxy is an address or a range like 10.0.0.0/8; got “\(range)”.")
        }
        guard (0...86_400).contains(verifyInterval) else { throw ValidationError("--verify-interval is 0 to 86400.") }
        if plaintext, tlsCert != nil || tlsKey != nil { throw ValidationError("Either --plaintext or a certificate.") }
        if !plaintext, tlsCert == nil || tlsKey == nil {
            throw ValidationError("Give --tls-cert and --tls-key, or --plaintext on loopback.")
        }
        _ = try ListenAddress(listen)
        _ = try adminPort.configuration(certificate: tlsCert, key: tlsKey)
        guard cache.bytes >= 16 << 20 else { throw ValidationError("--cache is at least 16MiB.") }
        guard eventsPerDay >= 1_000 else { throw ValidationError("--events-per-day is at least 1000.") }
        guard bytesPerDay.bytes >= 1 << 20 else { throw ValidationError("--bytes-per-day is at least 1MiB.") }
        guard (1 << 20...cache.bytes).contains(userLimit.bytes) else {
            throw ValidationError("--user-limit is 1MiB to what --cache gives.")
        }
    }

    func run() async throws {
        CoreDumps.disable()
        let signals = Signals(hangUps: await UnixSignalsSequence(trapping: .sighup), stops: await StopSignals())
        let output = LogOutput(logFormat)
        defer { output.endWindows(all: true) }
        let logger = Logger(level: logLevel, to: output)
        do {
            try await serve(signals, output, logger)
        } catch EmbeddedClusterError.stopped {
            logger.notice("stopped before it was ready")
            return
        } catch  where logFormat == .json {
            // Whoever reads JSON reads nothing else.
            logger.critical("stopped by an error", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
        logger.info("stopped")
    }

    private func serve(_ signals: Signals, _ output: LogOutput, _ logger: Logger) async throws {
        let address = try ListenAddress(listen)
        var security = SyncServerConfiguration.Security.plaintext
        if let tlsCert, let tlsKey { security = .tls(certificateFile: tlsCert, keyFile: tlsKey) }
        try security.check()
        var configuration = SyncServerConfiguration(host: address.host, port: address.port, security: security)
        (configuration.cacheBytes, configuration.userBytes) = (cache.bytes, userLimit.bytes)
        configuration.connections = try connectionLimits(logger)
        (configuration.limits.eventsPerDay, configuration.limits.bytesPerDay) = (eventsPerDay, bytesPerDay.bytes)
        if verifyInterval > 0 { configuration.verifyInterval = .seconds(verifyInterval) }
        try await SyncServer.tryListening(configuration)
        let directory = DataDirectory(path: dataDir)
        let files = KeyDirectory(directory.path)
        let found = try files.find(
            KeyDirectory.Choice(tokens: tokenKey, receipts: receiptKey, isOfLog: database == nil))
        let backend = try await Backend.open(
            database: database, directDatabase: directDatabase, directory: directory, partitions: partitions,
            usesPreparedStatements: !noPrepared, unless: signals.stops.flag, logger: logger)
        do {
            let keys = try files.complete(found, logHasEvents: backend.logHasEvents)
            // Another server of the log would make others, and each would refuse the devices of the other.
            if database != nil, !keys.made.isEmpty {
                logger.warning(
                    "new keys were made: give every other server of this log the same files",
                    metadata: ["files": "\(keys.made.joined(separator: " "))"])
            }
            configuration.receiptKey = keys.receipts
            try await serve(configuration, backend, keys, from: found.tokenFile, signals, output, logger)
        } catch {
            try await backend.close()
            throw error
        }
        try await backend.close()
    }

    /// Throws `TooFewFiles`. Raises the process's limit of open files.
    private func connectionLimits(_ logger: Logger) throws -> ConnectionLimits {
        var limits = ConnectionLimits()
        let usual = limits.total
        limits.total = try OpenFiles.connections(asked: connections, usual: usual, limit: OpenFiles.raiseLimit())
        if connections == nil, limits.total < usual {
            logger.warning(
                "fewer connections than usual are let in: the limit of open files is low (ulimit -n)",
                metadata: ["connections": "\(limits.total)"])
        }
        // Half of them at the most may be silent.
        limits.unauthenticated = min(limits.unauthenticated, max(1, limits.total / 2))
        limits.perAddress = connectionsPerAddress
        limits.unauthenticatedPerAddress = min(limits.unauthenticatedPerAddress, connectionsPerAddress)
        limits.handshakesPerAddress = handshakesPerAddress
        limits.limitsLoopback = limitLoopback
        limits.trustedProxies = trustedProxy.compactMap { AddressRange($0) }
        return limits
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
