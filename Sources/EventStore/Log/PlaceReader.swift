import FocusCore
import PostgresClient

/// Reads what stands at earlier places of a device: one statement reads the stored pages, one the events. A place that
/// neither pages nor runs name is looked for in the whole stream, because a gap in an index does not prove that the log
/// has nothing there.
public struct PlaceReader: Sendable {
    /// The payloads of one answer, in bytes at most: those of one frame (rule W1).
    public static let payloadBytes: Int64 = 1 << 20

    public init() {}

    /// Throws `PostgresError`; `EventStoreError.corrupt` when the log lacks an event that pages or runs name, or a page
    /// cannot be read; `LogTruncated` when the whole stream is looked through and the log lacks the anchor; and what
    /// `LoggedEvent.decoded` throws of a refusal.
    public func read(_ question: PlaceQuestion, on connection: PostgresConnection) throws -> FoundPlaces {
        var rows: [Row] = []
        var isScanned = question.known.isScanned
        if !isScanned {
            let runs = try runs(question, on: connection)
            rows = try read(question, Self.ranges(runs), on: connection)
            let held = Set(rows.map(\.logged.sequence))
            if Self.isExpected(runs, besides: held, in: question.places) {
                throw EventStoreError.corrupt("events of a device are not where they were logged")
            }
            isScanned = !Self.isWhole(question, held)
        }
        if isScanned { rows = try scan(question, on: connection) }
        return FoundPlaces(
            places: question.places, filledAt: question.known.filledAt, isScanned: isScanned,
            events: try outcomes(rows.filter { !$0.isOfLostEvents }, question, on: connection))
    }

    private struct Row {
        var logged: LoggedEvent
        var isWhole: Bool
        var isOfLostEvents: Bool { logged.type == EventType.deviceEventsLost.rawValue }
    }

    // MARK: Where

    /// All runs of the places: those in the state, and those in the pages that the state does not hold.
    private func runs(_ question: PlaceQuestion, on connection: PostgresConnection) throws -> [PlaceRun] {
        let known = question.known.runs
        let first = known.map(\.first).min()
        if let first, first <= question.places.lowerBound { return known }
        let (device, incarnation) = (question.device, question.incarnation)
        func key(_ place: DeviceSequence) -> PostgresValue {
            .text(PlacePageKey(device: device, incarnation: incarnation, first: place).text)
        }
        let result = try connection.query(
            Generation(question.generation).statement(Queries.readPlacePages),
            [
                .int4(question.partition.rawValue), .uuid(question.user.uuid),
                .text(PlacePageKey.prefix(device, incarnation)), key(question.places.lowerBound),
                key(question.places.upperBound),
            ])
        var runs = Set(known)
        for row in 0..<result.rowCount {
            do {
                runs.formUnion(try PlacePageKey.runs(decoding: try result.bytes(row: row, column: 0)))
            } catch is ProtoError {
                throw EventStoreError.corrupt("a page of places cannot be read")
            }
        }
        return runs.filter { $0.first <= question.places.upperBound && $0.last >= question.places.lowerBound }
    }

    /// The runs' ranges of versions, ascending and merged: none touches another.
    private static func ranges(_ runs: [PlaceRun]) -> [ClosedRange<Version>] {
        var ranges: [ClosedRange<Version>] = []
        for versions in runs.map(\.versions).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, versions.lowerBound <= last.upperBound.next {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, versions.upperBound)
            } else {
                ranges.append(versions)
            }
        }
        return ranges
    }

    /// Whether a run names a place that no event was found at.
    private static func isExpected(
        _ runs: [PlaceRun], besides held: Set<DeviceSequence>, in places: ClosedRange<DeviceSequence>
    ) -> Bool {
        runs.contains { run in
            let first = max(run.first, places.lowerBound).rawValue
            let last = min(run.last, places.upperBound).rawValue
            return first <= last && (first...last).contains { !held.contains(DeviceSequence($0)) }
        }
    }

    /// Whether every place has an event, or is known to have lost it.
    private static func isWhole(_ question: PlaceQuestion, _ held: Set<DeviceSequence>) -> Bool {
        (question.places.lowerBound.rawValue...question.places.upperBound.rawValue).allSatisfy { number in
            let place = DeviceSequence(number)
            return held.contains(place) || question.known.lost.contains { $0.contains(place) }
        }
    }

    // MARK: What

    private func scan(_ question: PlaceQuestion, on connection: PostgresConnection) throws -> [Row] {
        if let anchor = question.anchor {
            try LogReader().verify([question.partition: anchor], on: connection)
        }
        return try read(question, [Version(1)...Version(Int64.max / 4)], on: connection)
    }

    private func read(
        _ question: PlaceQuestion, _ ranges: [ClosedRange<Version>], on connection: PostgresConnection
    ) throws(PostgresError) -> [Row] {
        guard !ranges.isEmpty else { return [] }
        let result = try connection.query(
            Queries.readPlaces,
            [
                .int4(question.partition.rawValue), .uuid(question.user.uuid),
                .int8Array(ranges.map(\.lowerBound.rawValue)), .int8Array(ranges.map(\.upperBound.rawValue)),
                .uuid(question.device.uuid), .int8(question.incarnation.rawValue),
                .int8(question.places.lowerBound.rawValue), .int8(question.places.upperBound.rawValue),
                .int8(Self.payloadBytes),
            ])
        var rows: [Row] = []
        rows.reserveCapacity(result.rowCount)
        for row in 0..<result.rowCount {
            let isWhole = try result.bool(row: row, column: LoggedEvent.columnCount)
            rows.append(Row(logged: try LoggedEvent(result, row: row), isWhole: isWhole))
        }
        return rows
    }

    /// Earlier programs logged an event that was repeated in a later incarnation as refused (`alreadyLogged`). It is
    /// answered as at its first place.
    private func outcomes(
        _ rows: [Row], _ question: PlaceQuestion, on connection: PostgresConnection
    ) throws -> [FoundPlaces.Found] {
        let repeated = try rows.filter { try $0.logged.refusal()?.code == RefusalCode.alreadyLogged.rawValue }
        var first: [EventID: Outcome] = [:]
        if !repeated.isEmpty {
            let result = try connection.query(
                Queries.findFirstEvents,
                [
                    .int4(question.partition.rawValue), .uuid(question.user.uuid),
                    .uuidArray(repeated.map(\.logged.id.uuid)),
                ])
            for event in try LoggedEvent.read(result) { first[event.id] = try event.outcome() }
        }
        let ids = Set(repeated.map(\.logged.id))
        return try rows.map { row in
            let outcome = ids.contains(row.logged.id) ? first[row.logged.id] ?? .accepted : try row.logged.outcome()
            return FoundPlaces.Found(logged: row.logged, isWhole: row.isWhole, outcome: outcome)
        }
    }
}

extension LoggedEvent {
    fileprivate func refusal() throws -> EventRefused? {
        guard type == EventType.eventRefused.rawValue else { return nil }
        guard case .eventRefused(let refused) = try decoded().body else { return nil }
        return refused
    }

    fileprivate func outcome() throws -> Outcome {
        try refusal().map { Outcome.refused(code: $0.code, message: $0.message).bounded } ?? .accepted
    }
}
