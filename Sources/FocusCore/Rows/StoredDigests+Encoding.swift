/// The bytes of `StoredDigests`, in protobuf's wire format and one canonical order: equal sums have equal bytes.
///
/// 1: format; 2: apps; 3: collections (1: name; 2: sums of 1: app, 2: device, 3: count, 4: digest); 4: apps with hidden
/// previews (1: app, 2: count, 3: digest, 4: classes). An app is its place in the list of apps, from 1 on; 0: none.
extension StoredDigests {
    /// What other programs make of these bytes changes with it: they leave another format alone.
    private static let format: UInt64 = 1
    /// No count is larger: many of them add up without an overflow, whatever bytes say.
    private static let countLimit: Int64 = 1 << 40

    /// Nil when it is too large to be stored.
    public var encoded: [UInt8]? {
        let groups = sums.groups.filter { $0.value.count != 0 }
        let hidden = Set(previews.classes.keys).union(sums.hiddenSums.filter { $0.value.count != 0 }.keys)
        let apps = Set(groups.keys.compactMap(\.app)).union(hidden).sorted { $0.rawValue < $1.rawValue }
        let places = Dictionary(uniqueKeysWithValues: apps.enumerated().map { ($1, UInt64($0 + 1)) })
        let ofCollection = Dictionary(grouping: groups) { $0.key.collection }
        var writer = ProtoWriter()
        writer.varint(1, Self.format)
        for app in apps { writer.presentString(2, app.rawValue) }
        for (collection, sums) in ofCollection.sorted(by: { $0.key < $1.key }) {
            let order = sums.map { (app: $0.key.app.flatMap { places[$0] } ?? 0, device: $0.key.device, sum: $0.value) }
            writer.message(3) { message in
                message.string(1, collection.rawValue)
                for (app, device, sum) in order.sorted(by: { ($0.app, $0.device) < ($1.app, $1.device) }) {
                    message.message(2) { group in
                        group.varint(1, app)
                        group.string(2, device)
                        group.int(3, Int64(sum.count))
                        group.data(4, sum.digest.bytes)
                    }
                }
            }
        }
        for app in apps where hidden.contains(app) {
            let sum = sums.hiddenSums[app] ?? DigestSum()
            writer.message(4) { message in
                message.varint(1, places[app] ?? 0)
                message.int(2, Int64(sum.count))
                message.data(3, sum.digest.bytes)
                for name in (previews.classes[app] ?? []).map(\.rawValue).sorted() { message.presentString(4, name) }
            }
        }
        return writer.bytes.count <= Self.byteLimit ? writer.bytes : nil
    }

    /// Throws for bytes that are not those of sums: nothing is taken of them.
    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        guard bytes.count <= Self.byteLimit else { throw .malformed }
        var (format, apps): (UInt64, [AppID]) = (0, [])
        var groups: [DigestGroup: DigestSum] = [:]
        var hidden: [AppID: DigestSum] = [:]
        var classes: [AppID: Set<DeviceClass>] = [:]
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: format = try value.uint()
            case 2:
                guard let app = AppID(try value.string()) else { throw .malformed }
                apps.append(app)
            case 3: try Self.read(try value.bytes(), apps, &groups)
            case 4:
                let (app, sum, hiding) = try Self.hidden(try value.bytes(), apps)
                guard hidden.updateValue(sum, forKey: app) == nil else { throw .malformed }
                if !hiding.isEmpty { classes[app] = hiding }
            default: throw .unexpected
            }
        }
        guard format == Self.format else { throw .unexpected }
        self.init(DigestSums(groups: groups, hiddenSums: hidden), HiddenPreviews(classes: classes))
    }

    /// The sums of one collection.
    private static func read(
        _ bytes: ArraySlice<UInt8>, _ apps: [AppID], _ groups: inout [DigestGroup: DigestSum]
    ) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var collection: RowCollection?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: collection = RowCollection(rawValue: try value.string())
            case 2:
                guard let collection, collection.isPublic else { throw .unexpected }
                let (app, device, sum) = try group(try value.bytes(), apps)
                guard collection == .refusals || device.isEmpty else { throw .malformed }
                let group = DigestGroup(collection, app: app, device: device)
                guard groups.updateValue(sum, forKey: group) == nil else { throw .malformed }
            default: throw .unexpected
            }
        }
    }

    private static func group(
        _ bytes: ArraySlice<UInt8>, _ apps: [AppID]
    ) throws(ProtoError) -> (AppID?, String, DigestSum) {
        var reader = ProtoReader(bytes)
        var (app, device, sum): (AppID?, String, DigestSum) = (nil, "", DigestSum())
        while let (field, value) = try reader.next() {
            switch field {
            case 1: app = try Self.app(try value.uint(), apps)
            case 2: device = try value.string()
            case 3: sum.count = try count(value)
            case 4: sum.digest = try digest(value)
            default: throw .unexpected
            }
        }
        return (app, device, sum)
    }

    private static func hidden(
        _ bytes: ArraySlice<UInt8>, _ apps: [AppID]
    ) throws(ProtoError) -> (AppID, DigestSum, Set<DeviceClass>) {
        var reader = ProtoReader(bytes)
        var (app, sum, classes): (AppID?, DigestSum, Set<DeviceClass>) = (nil, DigestSum(), [])
        while let (field, value) = try reader.next() {
            switch field {
            case 1: app = try Self.app(try value.uint(), apps)
            case 2: sum.count = try count(value)
            case 3: sum.digest = try digest(value)
            case 4:
                guard let hiding = DeviceClass(rawValue: try value.string()) else { throw .unexpected }
                classes.insert(hiding)
            default: throw .unexpected
            }
        }
        guard let app else { throw .malformed }
        return (app, sum, classes)
    }

    private static func app(_ place: UInt64, _ apps: [AppID]) throws(ProtoError) -> AppID {
        guard place > 0, place <= apps.count else { throw .malformed }
        return apps[Int(place) - 1]
    }

    private static func count(_ value: ProtoValue) throws(ProtoError) -> Int {
        let count = try value.int()
        guard (0...countLimit).contains(count) else { throw .malformed }
        return Int(count)
    }

    private static func digest(_ value: ProtoValue) throws(ProtoError) -> Digest {
        guard let digest = Digest(bytes: try value.bytes()) else { throw .malformed }
        return digest
    }
}
