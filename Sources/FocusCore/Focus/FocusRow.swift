/// A configured Focus, as devices see it (collection `focuses`). Its id is the row's key.
public struct FocusRow: RowMessage {
    public var name: String
    public var symbol: String?
    public var allowedApps: Set<AppID>
    public var allowedPeople: Set<ByteText>
    public var allowsTimeSensitive: Bool
    public var sharesStatus: Bool

    public init(_ configured: FocusConfigured) {
        name = configured.name
        symbol = configured.symbol
        allowedApps = configured.allowedApps
        allowedPeople = configured.allowedPeople
        allowsTimeSensitive = configured.allowsTimeSensitive
        sharesStatus = configured.sharesStatus
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, name)
        writer.optionalString(2, symbol)
        for app in allowedApps.sorted() { writer.presentString(3, app.rawValue) }
        for person in allowedPeople.sorted() { writer.presentString(4, person.text) }
        writer.bool(5, allowsTimeSensitive)
        writer.bool(6, sharesStatus)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(FocusConfigured(focusID: "", name: "", allowsTimeSensitive: false, sharesStatus: false))
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: name = try value.string()
            case 2: symbol = try value.string()
            case 3:
                guard let app = AppID(try value.string()) else { throw .unexpected }
                allowedApps.insert(app)
            case 4: allowedPeople.insert(ByteText(try value.string()))
            case 5: allowsTimeSensitive = try value.bool()
            case 6: sharesStatus = try value.bool()
            default: break
            }
        }
    }
}

extension FocusRow {
    /// Whether communication of the person breaks through (rule N9.4); false for nil.
    func allows(_ person: String?) -> Bool { person.map { allowedPeople.contains(ByteText($0)) } ?? false }
}
