import FocusCore

/// Incarnations in which restored stores go on: `Schema/samples/incarnations.txt`.
enum IncarnationVectors {
    private struct Place {
        var incarnation: Int64
        var sequence: Int64
        var scope: Scope
    }

    static func file() throws -> VectorFile {
        let app = try SampleEvents.app("com.example.chat")
        let places = [
            Place(incarnation: 7, sequence: 301, scope: .system), Place(incarnation: -2, sequence: 1, scope: .app(app)),
            Place(incarnation: .max, sequence: 9_000_000_000, scope: .system),
        ]
        var lines = [
            "# The incarnation in which a restored store goes on (P10): device, incarnation, sequence and id of the",
            "# first event that the log does not hold, scope, and the incarnation that follows. A test makes this file",
            "# from the server's code.",
        ]
        for place in places {
            let (device, event) = (DeviceID(SampleEvents.id(1)), EventID(SampleEvents.id(20)))
            let following = Incarnation.following(
                Incarnation(place.incarnation), DeviceSequence(place.sequence), event, of: device, in: place.scope)
            lines.append(
                "\(device) \(place.incarnation) \(place.sequence) \(event) \(place.scope.text) \(following.rawValue)")
        }
        return VectorFile(name: "incarnations.txt", text: lines.joined(separator: "\n") + "\n")
    }
}
