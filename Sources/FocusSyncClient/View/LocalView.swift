import FocusCore
import FocusWire

/// What a device shows: the confirmed rows with a `Prediction` over them, made anew with every delta.
///
/// Nothing is held while nobody looks. Where nothing can be predicted, the view is what was confirmed; it never fails
/// for that.
struct LocalView {
    private let store: DeviceStore
    private let owner: DeviceOwner
    private let collections: Set<RowCollection>
    private var prediction: Prediction?
    private var differences: [RowKey: [UInt8]?] = [:]
    /// Whether `differences` are those of the store as it is.
    private var isCurrent = false
    /// The rows or events at hand cannot be folded; the next delta may change that.
    private var cannotPredict = false

    private static let predictedTypes = EventType.allCases.filter { !$0.predicted.isEmpty }.map(\.rawValue)

    init(store: DeviceStore, owner: DeviceOwner, collections: [RowCollection]) {
        self.store = store
        self.owner = owner
        self.collections = Set(collections)
    }

    /// Ordered by key.
    mutating func rows(of collection: RowCollection?) throws -> [LocalRow] {
        if !isCurrent { try rebuild() }
        var rows: [RowKey: LocalRow] = [:]
        for row in try store.rows(in: collection) { rows[row.key] = LocalRow(key: row.key, value: row.value) }
        for (key, value) in differences where collection == nil || key.collection == collection {
            rows[key] = value.map { LocalRow(key: key, value: $0, isPredicted: true) }
        }
        return rows.values.sorted { $0.key < $1.key }
    }

    mutating func row(_ key: RowKey) throws -> LocalRow? {
        if !isCurrent { try rebuild() }
        if let predicted = differences[key] {
            return predicted.map { LocalRow(key: key, value: $0, isPredicted: true) }
        }
        return try store.row(key).map { LocalRow(key: key, value: $0.value) }
    }

    /// Until it is asked again.
    mutating func forget() {
        (prediction, differences, isCurrent, cannotPredict) = (nil, [:], false, false)
    }

    /// Events were queued. The rows that look different for it.
    mutating func append(_ events: [QueuedEvent]) throws -> [LocalRow] {
        guard isCurrent, !cannotPredict else { return [] }
        let before = differences
        if prediction == nil {
            try rebuild()
        } else {
            predict(events.map(\.envelope))
        }
        return try changes(from: before, [])
    }

    /// Rows were confirmed, or events refused. The rows that look different for it.
    mutating func rebase(_ confirmed: [RowChange]) throws -> [LocalRow] {
        let before = differences
        try rebuild()
        return try changes(from: before, confirmed)
    }

    /// Whether events look different now that they were answered. Accepted ones look as before until a delta brings
    /// them, unless it has: an answer that was lost comes again after the rows that include its event, and what others
    /// did since.
    func isOutdated(by outcomes: [AppendOutcome]) throws -> Bool {
        let confirmed = try store.cursor?.version ?? .zero
        return outcomes.contains { !$0.isAccepted || $0.version <= confirmed }
    }

    private mutating func rebuild() throws {
        forget()
        isCurrent = true
        let events = try store.unconfirmed(of: Self.predictedTypes)
        guard !events.isEmpty else { return }
        let rows = Dictionary(try store.rows().map { ($0.key, $0.value) }) { $1 }
        do {
            prediction = try Prediction(user: owner.user, device: owner.device, rows: rows, collections: collections)
        } catch {
            // What is confirmed is all there is.
            cannotPredict = true
        }
        predict(events)
    }

    private mutating func predict(_ events: [Envelope]) {
        // Taken out, so that the one owner does not copy it.
        guard var prediction = prediction.take() else { return }
        do throws(FoldError) {
            for event in events {
                guard let type = EventType(rawValue: event.type),
                    let body = try? PayloadCodec.decode(type, schemaVersion: event.schemaVersion, event.payload)
                else { continue }
                try prediction.apply(event.id, body, app: event.app.flatMap(AppID.init), occurredAt: event.occurredAt)
            }
            differences = prediction.differences
            self.prediction = prediction
        } catch {
            // As above.
            (differences, cannotPredict) = ([:], true)
        }
    }

    private func changes(from before: [RowKey: [UInt8]?], _ confirmed: [RowChange]) throws -> [LocalRow] {
        var old: [RowKey: [UInt8]?] = [:]
        var new: [RowKey: [UInt8]?] = [:]
        for change in confirmed {
            // A row that changed twice looked before as the first change found it.
            if old[change.key] == nil { old[change.key] = .some(change.before) }
            new[change.key] = .some(change.after)
        }
        for key in Set(before.keys).union(differences.keys) where old[key] == nil {
            let value = try store.row(key)?.value
            old[key] = .some(value)
            new[key] = .some(value)
        }
        old.merge(before) { $1 }
        new.merge(differences) { $1 }
        return new.compactMap { key, value in
            old[key] == value ? nil : LocalRow(key: key, value: value, isPredicted: differences[key] != nil)
        }.sorted { $0.key < $1.key }
    }
}
