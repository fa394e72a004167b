import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// Which server to connect to, as which device, and where the device's store is.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The server's host:port; else the environment's FOCUS_SERVER.")
    var server = ServerAddress.usual
    @Flag(help: "No TLS. Loopback only.")
    var plaintext = false
    @Option(help: "PEM file of certificates to trust instead of the system's.")
    var tlsCa: String?
    @Option(help: "The device's token; else --token-file, else the environment's FOCUS_TOKEN.")
    var token: String?
    @Option(help: "File with the device's token.")
    var tokenFile: String?
    @Option(help: "Directory of the device's store. Default: ~/.local/state/focusctl/<user>/<device>/<scope>.")
    var state: String?
    @Option(help: "Seconds to wait for the server before giving up. Default: 30, or 8 attempts to connect.")
    var timeout: Int?

    func validate() throws {
        try ServerAddress.checkEnvironment()
        if plaintext, tlsCa != nil { throw ValidationError("Either --plaintext or --tls-ca.") }
        if token != nil, tokenFile != nil { throw ValidationError("Either --token or --token-file.") }
        guard (1...86_400).contains(timeout ?? 30) else { throw ValidationError("--timeout is 1 to 86400 seconds.") }
    }

    /// Whether an option says which device is meant, or how to reach its server.
    var namesDevice: Bool { plaintext || tlsCa != nil || token != nil || tokenFile != nil || state != nil }

    /// The token from `--token-file`, `--token` or the environment.
    func tokenText() throws -> String {
        var text = token ?? ProcessInfo.processInfo.environment["FOCUS_TOKEN"] ?? ""
        if let tokenFile {
            text = try TextFile.read(tokenFile)
        }
        text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw ValidationError(
                "No token. Give --token, --token-file or FOCUS_TOKEN; `focusctl token --help` says how to make one.")
        }
        return text
    }

    /// A client on the device's store, not connected yet.
    func makeClient(
        _ adjust: (inout SyncClientConfiguration) -> Void = { _ in }
    ) throws -> SyncClient {
        let token = try tokenText()
        let owner = try TokenContents(reading: token).owner
        var configuration = SyncClientConfiguration(
            server: server, security: plaintext ? .plaintext : .tls(trustFile: tlsCa), token: token)
        configuration.timeout = .seconds(timeout ?? 30)
        // Whoever says how long, means it.
        if timeout == nil { configuration.maximumAttempts = 8 }
        adjust(&configuration)
        let store = try DeviceStore(directory: state ?? Self.standardDirectory(of: owner))
        return try SyncClient(configuration: configuration, store: store)
    }

    private static func standardDirectory(of owner: DeviceOwner) -> String {
        let home = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? NSHomeDirectory() + "/.local/state"
        return "\(home)/focusctl/\(owner.user)/\(owner.device)/\(owner.scope.app?.rawValue ?? "system")"
    }
}
