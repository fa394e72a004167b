import Foundation
import Support

/// A focusd in the background that `ops/lib/hurt` starts, kills and restarts, as an operator's scripts would.
final class HurtServer: Sendable {
    let directory: String
    let address: String
    private let reserved: ReservedPort

    struct Failure: Error { let output: String }

    static let script = Checkout.file("ops/lib/hurt").path

    /// - Parameters:
    ///   - arguments: options of `focusd serve` besides directory and address.
    ///   - other: the server whose token key this one shares.
    init(_ arguments: [String], keyOf other: HurtServer? = nil) async throws {
        directory = try TestDirectory.make()
        reserved = try ReservedPort()
        try FocusdProcess.relaxDisk(of: directory)
        if let other {
            try FileManager.default.copyItem(
                atPath: other.directory + "/token.key", toPath: directory + "/token.key")
        }
        let child = try ChildProcess(
            Self.script,
            [
                "start", directory, FocusdProcess.binary("focusd"), "serve", "--data-dir", directory, "--listen",
                "127.0.0.1:\(reserved.number)", "--log-level", "error",
            ] + arguments, environment: ["HURT_WHILE": String(getpid())])
        let output = await child.rest()
        guard await child.exitCode() == 0 else { throw Failure(output: output) }
        address = output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The command line for an action of `ops/lib/hurt`.
    func command(_ action: String) -> String { "\(Self.script) \(action) \(directory)" }

    /// Runs an action of `ops/lib/hurt` now.
    func perform(_ action: String) async throws {
        let child = try ChildProcess(Self.script, [action, directory])
        let output = await child.rest()
        guard await child.exitCode() == 0 else { throw Failure(output: output) }
    }

    /// Stops the server and removes its directory.
    func remove() async throws {
        let child = try ChildProcess(Self.script, ["stop", directory])
        _ = await child.exitCode()
        try? FileManager.default.removeItem(atPath: directory + ".saved")
        try FileManager.default.removeItem(atPath: directory)
    }
}
