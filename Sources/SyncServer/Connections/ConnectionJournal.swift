import FocusCore
import Logging

/// What the log says of one connection, a line each: it got a session (`connected`) or none (`refused`), its device
/// takes nothing (`slow`), the server ended it (`sent away`), it is over (`disconnected`). Who the device belongs to
/// is said, and never what it sends or gets: no payload and no key of a row.
///
/// Flow: `connected` → `slow`, any number → `sent away`, at most once → `disconnected`; or `refused` alone.
struct ConnectionJournal {
    /// A device that takes none of the rows that wait for it for this long is slow.
    static let slowMilliseconds: Int64 = 5_000
    /// Why a device is not let in that its user has revoked (rule A3).
    static let revoked = "the device is revoked"

    private let id: UInt64
    private let name: String
    private let startedAt: MonotonicTime
    private let logger: Logger
    /// Where it comes from; nil: not over IP.
    var address: ClientAddress?
    /// Who it acts as; nil before its token is accepted.
    var identity: Identity?
    /// What its Hello or its token says of the device.
    var deviceClass: DeviceClass?
    /// Why it is not let in, as the log may know and the device may not (rule A1).
    var flaw: String?
    /// Bytes that came from the device and went to it, without those of TLS.
    var (received, sent) = (0, 0)
    /// Whether the device has its Welcome.
    private(set) var isOpen = false
    /// What the actions that are performed now have told the device last, if that may end the connection.
    private var told: (code: ErrorCode, reason: String?)?
    /// The last slowness that was told.
    private var slowSince: MonotonicTime?
    /// How it ended, or nil.
    private var end: (code: ErrorCode?, reason: String)?

    /// - Parameter name: what Welcome calls the session.
    init(_ id: UInt64, name: String, _ logger: Logger, now: MonotonicTime) {
        (self.id, self.name, self.logger, startedAt) = (id, name, logger, now)
    }

    /// An error that the device is told ends its connection only where the same actions close it.
    mutating func beginActions() { told = nil }

    mutating func says(_ message: ServerMessage) {
        switch message {
        case .welcome(let welcome):
            isOpen = true
            logger.info(
                "connected",
                metadata: who.merging([
                    "session": "\(name)", "scope": "\(identity?.scope.app?.rawValue ?? "system")",
                    "class": "\(deviceClass?.rawValue ?? "unknown")",
                    "protocol": .stringConvertible(welcome.protocolVersion), "address": "\(from)",
                ]) { $1 })
        case .error(let error): told = (error.code, error.message)
        case .goAway(let goAway): told = (goAway.code, nil)
        case .appended, .recalled, .snapshotBegin, .snapshotRows, .snapshotEnd, .deltaBegin, .deltaRows, .deltaEnd,
            .delta, .checkpoint, .ping, .pong, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            break
        }
    }

    /// The session closes the connection.
    mutating func ends() {
        guard let told else {
            if end == nil { end = (nil, "bye") }
            return
        }
        sendAway(told.code, flaw ?? told.reason)
    }

    /// The connection is closed without a word to its device.
    mutating func cutOff(_ code: ErrorCode) { sendAway(code, flaw) }

    private mutating func sendAway(_ code: ErrorCode, _ reason: String?) {
        guard end == nil else { return }
        end = (code, "sent away")
        var metadata = who
        metadata["code"] = "\(code.rawValue)"
        if let reason { metadata["reason"] = "\(reason)" }
        if !isOpen { metadata["address"] = "\(from)" }
        logger.info(isOpen ? "sent away" : "refused", metadata: metadata)
    }

    /// The transport failed: of a device without a session this is all that is told.
    mutating func failed(_ error: any Error) {
        guard end == nil else { return }
        let reason = "connection failed: \(error)"
        end = (nil, reason)
        guard !isOpen else { return }
        logger.info("refused", metadata: who.merging(["reason": "\(reason)", "address": "\(from)"]) { $1 })
    }

    /// The device takes nothing: a line for each time, however long it lasts.
    /// - Parameters:
    ///   - since: when that was so for long enough; names the time.
    ///   - queued: bytes of rows that wait for the device.
    mutating func isSlow(since: MonotonicTime, queued: Int) {
        guard slowSince != since else { return }
        slowSince = since
        logger.info("slow", metadata: who.merging(["queued": .stringConvertible(queued)]) { $1 })
    }

    /// The connection is over.
    mutating func closed(now: MonotonicTime) {
        guard isOpen else {
            if end == nil { logger.debug("left before it had a session", metadata: ["address": "\(from)"]) }
            return
        }
        isOpen = false
        var metadata = who
        if let code = end?.code { metadata["code"] = "\(code.rawValue)" }
        metadata["reason"] = "\(end?.reason ?? "the device closed the connection")"
        metadata["seconds"] = .stringConvertible(Double(now - startedAt) / 1_000)
        metadata["received"] = .stringConvertible(received)
        metadata["sent"] = .stringConvertible(sent)
        logger.info("disconnected", metadata: metadata)
    }

    private var from: String { address?.text ?? "unknown" }

    private var who: Logger.Metadata {
        var who: Logger.Metadata = ["connection": .stringConvertible(id)]
        if let identity { (who["user"], who["device"]) = ("\(identity.user)", "\(identity.device)") }
        return who
    }
}
