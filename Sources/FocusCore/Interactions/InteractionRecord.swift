/// What is remembered of an interaction's id, so that donations and deletions may arrive in any order (rules I2, I4,
/// E6). With D the greatest donation by stamp, X the greatest deletion that names the id, V the greatest of D's
/// conversation and C the greatest of all: it is donated iff D is greater than X, V and C.
///
/// - Donated: D. An X below D never matters again.
/// - Not donated: X as far as it is greater than C, or the stamp of a D that V deleted: an older donation, perhaps of
///   another conversation, must not come back for the one that replaced it.
struct InteractionRecord: Hashable, Sendable {
    var donation: Donation?
    var removed: Stamp?

    /// Removes the donation, as of `stamp`.
    mutating func remove(at stamp: Stamp) {
        donation = nil
        removed.raise(to: stamp)
    }
}

extension InteractionRecord {
    /// The memo of its row in `interactions`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        if let donation { writer.message(1) { donation.write(&$0) } }
        writer.stamp(2, removed)
        return writer.bytes
    }

    init(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: donation = try Donation(value.bytes())
            case 2: removed = try value.stamp()
            default: break
            }
        }
        guard donation != nil || removed != nil else { throw .malformed }
    }
}

/// Names a row of the internal collection `interactions`.
enum InteractionKey: Hashable, Sendable {
    /// When everything of the app was deleted.
    case app
    case interaction(ByteText)
    /// When a conversation was deleted.
    case conversation(ByteText)

    var text: String {
        switch self {
        case .app: ""
        case .interaction(let id): "i/" + id.text
        case .conversation(let id): "c/" + id.text
        }
    }

    /// Nil when `text` is not such a key. It is compared by bytes, because a combining character may follow the slash.
    init?(_ text: String) {
        let rest = ByteText(String(decoding: text.utf8.dropFirst(2), as: UTF8.self))
        if text.isEmpty {
            self = .app
        } else if text.utf8.starts(with: "i/".utf8) {
            self = .interaction(rest)
        } else if text.utf8.starts(with: "c/".utf8) {
            self = .conversation(rest)
        } else {
            return nil
        }
    }
}
