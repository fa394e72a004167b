import EventStore
import FocusCore

/// An unfinished generation, for people and for scripts.
package enum UnfinishedRebuildText {
    package static func lines(_ rebuild: UnfinishedRebuild) -> [String] {
        var done = "\(rebuild.filled) of \(rebuild.partitions) partitions filled, \(rebuild.cutOver) cut over"
        if rebuild.eventsTotal > 0 {
            let percent = rebuild.events * 100 / rebuild.eventsTotal
            done += "; \(rebuild.events) of \(rebuild.eventsTotal) events done (\(percent) %)"
        }
        return [
            "Generation \(rebuild.generation) is on its way: a \(rebuild.kind.rawValue) since "
                + "\(rebuild.startedAt.rfc3339), fold \(rebuild.foldVersion)\(rebuild.verifies ? ", verifying" : "").",
            "\(done).", standing(rebuild),
        ]
    }

    package static func json(_ rebuild: UnfinishedRebuild) -> String {
        var json = JSONText()
        json.add("generation", rebuild.generation)
        json.add("kind", rebuild.kind.rawValue)
        json.add("foldVersion", rebuild.foldVersion)
        json.add("verifies", rebuild.verifies)
        json.add("startedAt", rebuild.startedAt.rfc3339)
        json.add("partitions", rebuild.partitions)
        json.add("filled", rebuild.filled)
        json.add("cutOver", rebuild.cutOver)
        json.add("events", rebuild.events)
        json.add("eventsTotal", rebuild.eventsTotal)
        json.add("isWorkedOn", rebuild.standing == .working)
        json.add("canResume", rebuild.standing == .resumable)
        return json.text
    }

    private static func standing(_ rebuild: UnfinishedRebuild) -> String {
        switch rebuild.standing {
        case .working: "A process works on it."
        case .resumable:
            "No process works on it. `focusctl projections rebuild --resume` goes on"
                + (rebuild.cutOver == 0 ? "; `focusctl projections drop-old` gives it up." : ".")
        case .otherFold:
            "No process works on it, and this program cannot: it has fold \(FocusCore.foldVersion). A focusctl of fold "
                + "\(rebuild.foldVersion) resumes it with `focusctl projections rebuild --resume`."
        }
    }
}
