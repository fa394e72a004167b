/// Rows that are visible together: of one collection and app, and for refusals of one device (rule E2).
struct DigestGroup: Hashable, Sendable {
    var collection: RowCollection
    var app: AppID?
    /// The device's text form; empty except for refusals.
    var device: String

    init(_ collection: RowCollection, app: AppID?, device: String = "") {
        self.collection = collection
        self.app = app
        self.device = device
    }

    init(_ key: RowKey) {
        let device = key.collection == .refusals ? String(key.key.prefix { $0 != "/" }) : ""
        self.init(key.collection, app: key.app, device: device)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.collection.ordinal == b.collection.ordinal && a.app == b.app && a.device == b.device
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(collection.ordinal)
        ByteText.hash(app?.rawValue ?? "", into: &hasher)
        ByteText.hash(device, into: &hasher)
    }

    func isVisible(in view: View) -> Bool {
        view.includes(RowKey(collection, app: app, key: device))
    }
}

/// Of the live rows that have a hash; once a digest is asked for, that is all of them.
struct DigestSum: Hashable, Sendable {
    var count: Int = 0
    var digest = Digest()
}

extension RowStore {
    /// Live rows per public collection of the view, also of those without any, in the order of their names (rule S9).
    mutating func digests(in view: View) -> [CollectionDigest] {
        hashPending()
        var sums: [RowCollection: DigestSum] = [:]
        // A sum is the same in any order, so the dictionary's does not matter.
        for (group, full) in groups where group.isVisible(in: view) {
            let isHidden = hiddenPreviews.hides(group.collection, of: group.app, in: view)
            let sum = isHidden ? group.app.flatMap { hiddenSums[$0] } ?? DigestSum() : full
            sums[group.collection, default: DigestSum()].count += sum.count
            sums[group.collection, default: DigestSum()].digest += sum.digest
        }
        return RowCollection.allCases.sorted().filter { view.holds($0) }.map { collection in
            let sum = sums[collection] ?? DigestSum()
            return CollectionDigest(collection: collection, count: UInt64(max(0, sum.count)), digest: sum.digest)
        }
    }

    private mutating func hashPending() {
        for key in unhashed {
            guard let index = entries.index(forKey: key), entries.values[index].awaitsHash else { continue }
            setHash(of: key, at: index)
        }
        unhashed.removeAll(keepingCapacity: unhashed.count < 1_024)
    }
}

extension View {
    /// Whether the view may hold rows of the collection at all.
    func holds(_ collection: RowCollection) -> Bool {
        collection.isPublic && (collections?.contains(collection) ?? true)
    }
}
