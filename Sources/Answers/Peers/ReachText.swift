import FocusCore

/// Whether a message would reach somebody (rule F6), for people and for scripts.
package enum ReachText {
    package static func line(_ reach: Reach) -> String {
        [word(reach), reach.time?.rfc3339].compactMap(\.self).joined(separator: " ")
    }

    package static func json(_ reach: Reach, of user: UserID) -> String {
        var object = JSONText()
        object.add("user", user.description)
        object.add("reach", word(reach))
        object.add("at", reach.time?.rfc3339)
        return object.text
    }

    private static func word(_ reach: Reach) -> String {
        switch reach {
        case .ringsNow: "ringsNow"
        case .waits: "waits"
        case .nextSummary: "nextSummary"
        }
    }
}
