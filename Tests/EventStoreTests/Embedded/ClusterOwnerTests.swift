import Foundation
import Support
import Testing

@testable import EventStore

/// Whose the embedded cluster is.
@Suite struct ClusterOwnerTests {
    @Test("A new cluster belongs to the owner of its data directory, root's to the user that PostgreSQL has")
    func owner() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cluster = directory + "/postgres"
        let isRoot = geteuid() == 0
        // Some user whom every system has.
        let other = try #require(getpwnam("daemon")).pointee.pw_uid
        #expect(try ClusterOwner(preferred: nil, cluster: cluster).uid != 0)
        if isRoot { chown(directory, other, 0) }
        let own = geteuid()
        #expect(try ClusterOwner(preferred: nil, cluster: cluster).uid == (isRoot ? other : own))
        let preferred = try #require(getpwnam("nobody")).pointee.pw_uid
        #expect(try ClusterOwner(preferred: "nobody", cluster: cluster).uid == (isRoot ? preferred : own))
    }
}
