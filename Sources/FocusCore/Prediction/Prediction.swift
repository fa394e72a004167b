/// What a device shows before the server has spoken: the rows that were confirmed, and the same fold over the device's
/// own events that they do not include yet.
///
/// A device has the public rows of its view and none of what the fold remembers beside them, so the state it folds on
/// has *neutral* memory: everything confirmed counts as written before everything this device does now, which is what
/// the device's clock sees to (rule E3). `EventTraits.predicted` says which rows of which event come out right that
/// way; the others stay as they were confirmed. Nothing is validated: the server does that, and what it refuses is taken
/// back by making the prediction anew.
public struct Prediction: Sendable {
    private var state: UserState
    private let device: DeviceID
    private let predictable: RowCollections
    private let confirmed: [RowKey: [UInt8]]
    private var sequence = DeviceSequence.zero
    /// The rows that are predicted to differ from the confirmed ones; a value of nil means that the row is gone.
    public private(set) var differences: [RowKey: [UInt8]?] = [:]

    /// - Parameters:
    ///   - rows: every confirmed row of the device's view.
    ///   - collections: what the device asked for (rule S7); empty when it asked for all.
    ///
    /// Throws when the rows do not fit together: there is nothing to fold on, and what is confirmed is all there is.
    public init(
        user: UserID, device: DeviceID, rows: [RowKey: [UInt8]], collections: Set<RowCollection> = []
    ) throws(FoldError) {
        let asked = collections.isEmpty ? Set(RowCollection.allCases.filter(\.isPublic)) : collections
        let held = RowCollections(asked)
        self.device = device
        predictable = RowCollections(asked.filter { $0.traits.predictionNeeds.isSubset(of: held) })
        confirmed = rows
        var neutral: [RowKey: Row] = [:]
        for (key, value) in rows where predictable.contains(key.collection) {
            guard key.collection.traits.isFoldedOn else { continue }
            do throws(ProtoError) {
                neutral[key] = Row(version: .zero, value: value, memo: try NeutralMemo.bytes(key, value, device))
            } catch {
                throw .corruptRow(key)
            }
        }
        state = try UserState(user: user, version: .zero, rows: neutral)
        try state.adoptEffectiveSettings()
    }

    /// Folds an event of this device in, after those before it.
    ///
    /// Throws when the fold cannot: the prediction is then unusable.
    public mutating func apply(
        _ id: EventID, _ body: EventBody, app: AppID?, occurredAt: Timestamp
    ) throws(FoldError) {
        let predicted = body.type.traits.predicted.intersection(predictable)
        guard !predicted.isEmpty else { return }
        sequence = sequence.next
        // When the server will record it is not known: a Focus that ends after it begins counts as on.
        let event = Event(
            version: state.version.next, device: device, incarnation: Incarnation(1), sequence: sequence, id: id,
            app: app, occurredAt: occurredAt, recordedAt: occurredAt, body: body)
        for key in try state.apply(event) where predicted.contains(key.collection) { updateDifference(of: key) }
        if case .preferenceReset(let reset) = body, let app {
            // The default behind it is not known here.
            differences[RowKey(.preferences, app: app, key: reset.key)] = nil
        }
    }

    private mutating func updateDifference(of key: RowKey) {
        // A key without a row was touched for its memo alone.
        guard let entry = state.shared.store[key] else { return }
        let value = entry.isDeleted ? nil : entry.value
        differences[key] = value == confirmed[key] ? nil : .some(value)
    }
}

extension UserState {
    /// Uses the effective settings in each app's row, because the default that the app follows may be out of the
    /// device's sight.
    fileprivate mutating func adoptEffectiveSettings() throws(FoldError) {
        for slot in apps.indices {
            let key = RowKey(.notificationSettings, app: apps[slot].app)
            guard shared.store[key] != nil else { continue }
            let row: NotificationSettingsRow = try shared.value(of: key)
            apps[slot].settings = EffectiveSettings(row.effective)
        }
    }
}
