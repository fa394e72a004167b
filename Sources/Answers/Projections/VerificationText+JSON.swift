import EventStore
import FocusCore
import Foundation

extension VerificationText {
    package static func json(_ found: UserVerification) -> String {
        var json = JSONText()
        json.add("user", found.user.description)
        json.add("partition", found.partition.rawValue)
        json.add("generation", found.generation)
        json.add("version", found.version.rawValue)
        switch found.verdict {
        case .equal(let rows):
            json.add("verdict", "equal")
            json.add("rows", rows)
        case .otherFold: json.add("verdict", "otherFold")
        case .unfoldable(let version, let reason):
            json.add("verdict", "unfoldable")
            json.add("foldedThrough", version.rawValue)
            json.add("reason", reason)
        case .different(let difference):
            json.add("verdict", "different")
            add(difference, to: &json)
        }
        return json.text
    }

    private static func add(_ difference: UserDifference, to json: inout JSONText) {
        switch difference.version {
        case .lacks(let version): json.add("lacksEvent", version.rawValue)
        case .exceedsLog(let last): json.add("logEndsAt", last.rawValue)
        case nil: break
        }
        json.add("differingRows", difference.rowCount)
        json.addRaw("rows", "[\(difference.rows.map(Self.json).joined(separator: ","))]")
        let unknownRows = difference.unknownRows.map { row in
            var json = JSONText()
            json.add("collection", row.collection.rawValue)
            json.add("app", row.app)
            json.add("key", row.key)
            return json.text
        }
        if difference.digestsDiffer { json.add("digestsDiffer", true) }
        if !unknownRows.isEmpty { json.addRaw("rowsOfNoApp", "[\(unknownRows.joined(separator: ","))]") }
    }

    private static func json(_ row: RowDifference) -> String {
        var json = JSONText()
        json.add("kind", row.kind.rawValue)
        json.add("collection", row.key.collection.rawValue)
        json.add("app", row.key.app?.rawValue)
        json.add("key", row.key.key)
        let parts = RowPart.allCases.filter { row.parts.contains($0) }
        json.addRaw("differs", "[\(parts.map { JSONText.string($0.rawValue) }.joined(separator: ","))]")
        json.addRaw("since", row.since?.description ?? "null")
        json.addRaw("partedAt", row.partedAt?.description ?? "null")
        json.addRaw("events", Self.json(row.expected, row.key.collection))
        json.addRaw("readModel", Self.json(row.shown, row.key.collection))
        return json.text
    }

    private static func json(_ row: Row?, _ collection: RowCollection) -> String {
        guard let row else { return "null" }
        var json = JSONText()
        json.add("version", row.version.rawValue)
        json.add("deleted", row.isDeleted)
        if !row.value.isEmpty { json.addRaw("value", RowText.json(collection, row.value)) }
        json.add("valueBase64", Data(row.value).base64EncodedString())
        json.add("memoBase64", Data(row.memo).base64EncodedString())
        return json.text
    }
}
