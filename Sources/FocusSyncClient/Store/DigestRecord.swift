import FocusCore
import Foundation
import GRDB

/// A row of table `digests`: the running digest of a collection, written in the transaction that changes the
/// collection's rows (rule S9).
struct DigestRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "digests"

    var collection: String
    var count: Int64
    var digest: Data

    init(_ digest: CollectionDigest) {
        collection = digest.collection.rawValue
        count = Int64(bitPattern: digest.count)
        self.digest = Data(digest.digest.bytes)
    }

    func collectionDigest() throws(DeviceStoreError) -> CollectionDigest {
        guard let collection = RowCollection(rawValue: collection), let digest = Digest(bytes: digest) else {
            throw .damaged("a digest of \(collection) is none")
        }
        return CollectionDigest(collection: collection, count: UInt64(bitPattern: count), digest: digest)
    }
}
