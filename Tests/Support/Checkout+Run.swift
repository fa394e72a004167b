import Foundation

extension Checkout {
    /// Runs a command in the repository's root, with paths from there on.
    /// - Returns: its exit code, and what it says on standard error.
    public static func run(_ command: [String]) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["PYTHONDONTWRITEBYTECODE=1"] + command
        process.currentDirectoryURL = root
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
