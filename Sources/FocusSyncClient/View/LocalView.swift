import FocusCore
import FocusWire

/// What a device shows: the confirmed rows with a `Prediction` over them, made anew with every delta.
///
/// The view holds nothing while nobody observes it. Where nothing can be predicted, it shows the confirmed rows; that
/// is no failure.
struct LocalView {
    private let store: DeviceStore
    private let owner: DeviceOwner
    private let collections: Set<RowCollection>
    private var prediction: Prediction?
    private var differences: [RowKey: [UInt8]?] = [:]
    /// Whether `differences` belong to the store's current rows and events.
    private var isCurrent = false
    /// Whether the current rows and events cannot be folded; the next delta may change that.
    private var cannotPredict = false

    private static let predictedTypes = EventType.allCases.filter { !$0.traits.predicted.isEmpty }.map(\.rawValue)

    init(store: DeviceStore, owner: DeviceOwner, collections: [RowCollection]) {
        self.store = store
        self.owner = owner
        self.collections = Set(collections)
    }

    /// The rows of a collection, ordered by key; nil: of all collections.
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

    /// Drops everything that is held; the next reading makes it anew.
    mutating func forget() {
        (prediction, differences, isCurrent, cannotPredict) = (nil, [:], false, false)
    }

    /// Events were queued. Returns the rows that look different because of them.
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

    /// Rows were confirmed, or events refused. Returns the rows that look different because of that.
    mutating func rebase(_ confirmed: [RowChange]) throws -> [LocalRow] {
        let before = differences
        try rebuild()
        return try changes(from: before, confirmed)
    }

    /// Whether the view changes because events were answered. What a refused event did is undone. An accepted event
    /// mostly goes on looking as predicted until a delta brings it. But if its first answer was lost, the second one
    /// may come after that delta: the rows include the event then, and what others did after it, and nothing may be
    /// predicted over them any more.
    func isOutdated(by outcomes: [AppendOutcome]) throws -> Bool {
        let confirmed = try store.cursor?.version ?? .zero
        return outcomes.contains { !$0.isAccepted || $0.version <= confirmed }
    }

    private mutating func rebuild() throws {
        forget()
        let events = try store.unconfirmed(of: Self.predictedTypes)
        guard !events.isEmpty else {
            isCurrent = true
            return
        }
        let rows = Dictionary(try store.rows().map { ($0.key, $0.value) }) { $1 }
        do {
            prediction = try Prediction(user: owner.user, device: owner.device, rows: rows, collections: collections)
        } catch {
            // The view shows the confirmed rows alone then.
            cannotPredict = true
        }
        predict(events)
        isCurrent = true
    }

    private mutating func predict(_ events: [Envelope]) {
        // Moved out of the property: with a single owner it is changed in place, not copied.
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
            // The view shows the confirmed rows alone then.
            (differences, cannotPredict) = ([:], true)
        }
    }

    private func changes(from before: [RowKey: [UInt8]?], _ confirmed: [RowChange]) throws -> [LocalRow] {
        var old: [RowKey: [UInt8]?] = [:]
        var new: [RowKey: [UInt8]?] = [:]
        for change in confirmed {
            // When a row changed twice, it looked before as it did before the first change.
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
