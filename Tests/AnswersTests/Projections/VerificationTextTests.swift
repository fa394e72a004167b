import FocusCore
import Foundation
import Testing

@testable import Answers
@testable import EventStore

/// What people and scripts are told of users whose read model is wrong.
@Suite struct VerificationTextTests {
    @Test("Digest sums that differ are named, and only then")
    func digests() {
        for differs in [true, false] {
            var difference = UserDifference(version: .lacks(Version(3)), rows: [], rowCount: 0, unknownRows: [])
            difference.digestsDiffer = differs
            let found = UserVerification(
                user: UserID(UUID()), partition: Partition(0), generation: 1, version: Version(2),
                verdict: .different(difference))
            #expect(VerificationText.lines(found).contains { $0.contains("digest sums") } == differs)
            #expect(VerificationText.json(found).contains(#""digestsDiffer":true"#) == differs)
        }
    }
}
