import FocusCore
import Foundation
import Support
import Testing
import Tokens

@testable import KeyFiles

/// Which keys a server works with, and what becomes of the files.
@Suite("KeyDirectory") struct KeyDirectoryTests {
    private final class Place {
        let path: String
        init() throws { path = try TestDirectory.make() }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let place: Place
    private var keys: KeyDirectory { KeyDirectory(place.path + "/data") }
    private static let secret = String(repeating: "5a", count: 32)

    init() throws {
        place = try Place()
        try FileManager.default.createDirectory(atPath: keys.path, withIntermediateDirectories: true)
    }

    private func choice(
        _ tokens: String? = nil, _ receipts: String? = nil, isOfLog: Bool = true
    ) -> KeyDirectory.Choice {
        KeyDirectory.Choice(tokens: tokens, receipts: receipts, isOfLog: isOfLog)
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = place.path + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func text(_ file: String) -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

    /// Whether the keys accept what the secret's key made: a receipt of no events.
    private func acceptReceipts(_ found: KeyDirectory.Keys, of hex: String) throws -> Bool {
        let subject = ReceiptSubject(
            log: LogID(UUID()), user: UserID(UUID()), device: DeviceID(UUID()), incarnation: Incarnation(1),
            scope: .system)
        let secret = try #require(HexSecret.bytes(hex))
        let receipt = ReceiptKey(secret: secret).receipt(
            subject, first: DeviceSequence(1), through: DeviceSequence(1), hash: EnvelopeHash())
        return found.receipts.accepts(receipt, of: subject, hash: EnvelopeHash())
    }

    @Test("A log without events gets keys of its own, which the next start finds again")
    func made() throws {
        let first = try keys.complete(keys.find(choice()), logHasEvents: false)
        let again = try keys.complete(keys.find(choice()), logHasEvents: true)
        #expect(first.tokenText == again.tokenText && text(keys.tokenFile) == first.tokenText)
        #expect(first.tokens.keys.map(\.id).count == 1 && first.tokens.keys[0].id?.hasPrefix("k-") == true)
        let receipts = try #require(text(keys.receiptFile))
        #expect(try acceptReceipts(again, of: receipts))
        for file in [keys.tokenFile, keys.receiptFile] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: keys.path).sorted() == ["receipt.key", "token.key"])
    }

    @Test("S6: receipts that were made from the secret of tokens stay valid, however the keys of tokens change then")
    func derived() throws {
        try Self.secret.write(toFile: keys.tokenFile, atomically: true, encoding: .utf8)
        #expect(try acceptReceipts(keys.complete(keys.find(choice()), logHasEvents: true), of: Self.secret))
        #expect(text(keys.receiptFile) == Self.secret + "\n")
        var new = TokenKey(id: "new", .secret(KeyDirectory.randomSecret()))
        new.signs = true
        try SecretFile.replace(keys.tokenFile, TokenKeySet(lone: new).text())
        let rotated = try keys.complete(keys.find(choice()), logHasEvents: true)
        #expect(try acceptReceipts(rotated, of: Self.secret) && rotated.tokens.keys.map(\.id) == ["new"])
    }

    @Test("S6: so they do when the keys of tokens change before a server has started, and are told once")
    func kept() throws {
        #expect(try keys.keepReceiptSecret(of: Self.secret + "\n") == keys.receiptFile)
        #expect(try keys.keepReceiptSecret(of: Self.secret) == nil)
        #expect(text(keys.receiptFile) == Self.secret + "\n")
    }

    @Test("S6: beside --database, servers with the same secret of tokens have the same key of receipts, as before")
    func shared() throws {
        let file = try write(Self.secret, to: "shared.key")
        // The directory is of another log.
        try String(repeating: "11", count: 32).write(toFile: keys.receiptFile, atomically: true, encoding: .utf8)
        let found = try keys.complete(keys.find(choice(file, isOfLog: false)), logHasEvents: true)
        #expect(try acceptReceipts(found, of: Self.secret))
        let own = try keys.complete(keys.find(choice(file, isOfLog: true)), logHasEvents: true)
        #expect(try acceptReceipts(own, of: String(repeating: "11", count: 32)))
        let named = try write(String(repeating: "22", count: 32), to: "receipts.key")
        let chosen = try keys.complete(keys.find(choice(file, named, isOfLog: false)), logHasEvents: true)
        #expect(try acceptReceipts(chosen, of: String(repeating: "22", count: 32)))
    }

    @Test("A log with events is served with the keys that it had, or not at all")
    func missing() throws {
        let (file, receipts) = (keys.tokenFile, keys.receiptFile)
        #expect(throws: KeyFileError.tokenKeyMissing(file)) {
            try keys.complete(keys.find(choice()), logHasEvents: true)
        }
        _ = try keys.complete(keys.find(choice()), logHasEvents: false)
        try FileManager.default.removeItem(atPath: receipts)
        #expect(throws: KeyFileError.receiptKeyMissing(receipts)) {
            try keys.complete(keys.find(choice()), logHasEvents: true)
        }
        #expect(!FileManager.default.fileExists(atPath: receipts))
        for error in [KeyFileError.tokenKeyMissing(file), .receiptKeyMissing(receipts)] {
            #expect(error.description.contains("has events") && error.description.contains("Put the file back"))
        }
        let absent = place.path + "/absent"
        #expect(throws: KeyFileError.unreadable(absent, reason: "there is no such file")) {
            try keys.find(choice(absent))
        }
        let nothing = try write("nothing", to: "nothing")
        #expect(throws: KeyFileError.noTokenKeys(nothing)) { try keys.find(choice(nothing)) }
        #expect(throws: KeyFileError.noReceiptKey(nothing)) { try keys.find(choice(nil, nothing)) }
    }

    @Test("A file is made once, never through a link, and is replaced wholly, with its mode closed")
    func files() throws {
        let path = place.path + "/secret"
        try SecretFile.create(path, "one")
        #expect(throws: KeyFileError.exists(path)) { try SecretFile.create(path, "two") }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try SecretFile.replace(path, "three")
        #expect(try SecretFile.read(path) == "three")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let link = place.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path + "/nowhere")
        #expect(try SecretFile.read(link) == nil)
        #expect(throws: KeyFileError.exists(link)) { try SecretFile.create(link, "four") }
        #expect(!FileManager.default.fileExists(atPath: place.path + "/nowhere"))
        let second = place.path + "/second"
        try FileManager.default.createSymbolicLink(atPath: second, withDestinationPath: path)
        try SecretFile.replace(second, "five")
        #expect(try SecretFile.read(path) == "five")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: second) == path)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [
                "data", "secret", "link", "second",
            ])
    }
}
