/// Rows that are visible together: those of one collection and app, and for refusals those of one device (rule E2).
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
        a.collection == b.collection && a.app == b.app && a.device == b.device
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(collection)
        hasher.combine(app)
        ByteText.hash(device, into: &hasher)
    }

    func isVisible(in view: View) -> Bool {
        view.includes(RowKey(collection, app: app, key: device))
    }
}

/// Count and digest of the live rows that have a hash; once a digest is asked for, every live row has one.
struct DigestSum: Hashable, Sendable {
    var count: Int = 0
    var digest = Digest()

    mutating func add(_ hash: RowHash) {
        count += 1
        digest += hash
    }

    mutating func subtract(_ hash: RowHash) {
        count -= 1
        digest -= hash
    }
}

/// The digests of live rows that have a hash, by what is visible together.
struct DigestSums: Sendable {
    private(set) var groups: [DigestGroup: DigestSum] = [:]
    /// Hashes of the hidden forms of rows that have one (rule N13).
    private var hiddenHashes: [RowKey: RowHash] = [:]
    /// The sums of the hidden forms' hashes, by app.
    private(set) var hiddenSums: [AppID: DigestSum] = [:]

    init() {}

    /// Sums that no row is added to or taken from any more.
    init(groups: [DigestGroup: DigestSum], hiddenSums: [AppID: DigestSum]) {
        (self.groups, self.hiddenSums) = (groups, hiddenSums)
    }

    /// Adds a row that is not in the sums.
    mutating func add(_ hash: RowHash, _ key: RowKey) { groups[DigestGroup(key), default: DigestSum()].add(hash) }

    /// Adds the hidden form of a row that was added.
    mutating func addHidden(_ hash: RowHash, _ key: RowKey) {
        guard let app = key.app else { return }
        hiddenHashes[key] = hash
        hiddenSums[app, default: DigestSum()].add(hash)
    }

    /// Removes a row from the sums, with its hidden form.
    mutating func subtract(_ hash: RowHash, _ key: RowKey) {
        groups[DigestGroup(key), default: DigestSum()].subtract(hash)
        guard !hiddenHashes.isEmpty, let app = key.app, let hidden = hiddenHashes.removeValue(forKey: key) else {
            return
        }
        hiddenSums[app, default: DigestSum()].subtract(hidden)
    }

    func digests(in view: View, _ previews: HiddenPreviews) -> [CollectionDigest] {
        var sums: [RowCollection: DigestSum] = [:]
        // A sum is the same in any order, so the dictionary's does not matter.
        for (group, full) in groups where group.isVisible(in: view) {
            let isHidden = previews.hides(group.collection, of: group.app, in: view)
            let sum = isHidden ? group.app.flatMap { hiddenSums[$0] } ?? DigestSum() : full
            sums[group.collection, default: DigestSum()].count += sum.count
            sums[group.collection, default: DigestSum()].digest += sum.digest
        }
        return RowCollection.allCases.sorted().filter { view.holds($0) }.map { collection in
            let sum = sums[collection] ?? DigestSum()
            return CollectionDigest(collection: collection, count: UInt64(max(0, sum.count)), digest: sum.digest)
        }
    }
}
