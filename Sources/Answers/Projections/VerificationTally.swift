import EventStore

/// What a verification has found.
package struct VerificationTally {
    /// The seed of the sample; nil: it is no sample.
    package var seed: UInt64?
    package private(set) var users = 0
    package private(set) var differing = 0
    /// How many rows were compared and are equal, of users without differences only.
    package private(set) var equalRows = 0
    private(set) var differingRows = 0

    package init() {}

    package mutating func add(_ verdict: UserVerification.Verdict) {
        users += 1
        switch verdict {
        case .equal(let rows): equalRows += rows
        case .different(let difference):
            differing += 1
            differingRows += difference.rowCount + difference.unknownRows.count
        case .unfoldable, .otherFold: differing += 1
        }
    }

    package var text: String {
        let sample = seed.map { ", sample of seed \($0)" } ?? ""
        return differing == 0
            ? "equal: \(users) users, \(equalRows) rows\(sample)"
            : "different: \(differing) of \(users) users, \(differingRows) rows\(sample)"
    }

    package var json: String {
        var json = JSONText()
        json.add("users", users)
        json.add("differing", differing)
        json.add("differingRows", differingRows)
        json.add("equalRows", equalRows)
        if let seed { json.addRaw("seed", String(seed)) }
        return json.text
    }
}
