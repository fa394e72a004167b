import FocusCore
import Foundation
import PostgresClient

/// Rows of one collection on their way into its table: one array per column.
struct RowTable {
    let collection: RowCollection
    private var users: [UUID] = []
    private var keys: [RowKey] = []
    private var rows: [Row] = []

    init(_ collection: RowCollection) { self.collection = collection }

    mutating func append(_ user: UserID, _ key: RowKey, _ row: Row) {
        users.append(user.uuid)
        keys.append(key)
        rows.append(row)
    }

    mutating func append(contentsOf other: RowTable) {
        users += other.users
        keys += other.keys
        rows += other.rows
    }

    var count: Int { rows.count }

    func forEach(_ body: (UserID, RowKey, Row) -> Void) {
        for index in rows.indices { body(UserID(users[index]), keys[index], rows[index]) }
    }

    /// The rows in their order, in tables of at most `bytes` bytes each. A row that has more gets a table of its own.
    func pieces(bytes: Int) -> [RowTable] {
        guard rows.indices.reduce(0, { $0 + size(of: $1) }) > bytes else { return [self] }
        var pieces = [RowTable(collection)]
        var taken = 0
        for index in rows.indices {
            let size = size(of: index)
            if taken > 0, taken + size > bytes {
                pieces.append(RowTable(collection))
                taken = 0
            }
            taken += size
            pieces[pieces.count - 1].append(UserID(users[index]), keys[index], rows[index])
        }
        return pieces
    }

    private func size(of index: Int) -> Int { keys[index].key.utf8.count + rows[index].storedBytes }

    /// The parameters in the order of `upsert_<collection>`.
    func parameters(_ partition: Partition) -> [PostgresValue] {
        let stored = keys.map { StoredKey($0.key) }
        return [
            .int4(partition.rawValue), .uuidArray(users), .textArray(keys.map { $0.app?.rawValue ?? "" }),
            .textArray(stored.map(\.text)), .byteaArray(stored.map(\.bytes)),
            .int8Array(rows.map(\.version.rawValue)), .boolArray(rows.map(\.isDeleted)), .byteaArray(rows.map(\.value)),
            .byteaArray(rows.map(\.memo)),
        ] + typedColumns
    }

    private var typedColumns: [PostgresValue] {
        switch collection {
        case .apps: AppRow.columns(decoded())
        case .authorizations: AuthorizationRow.columns(decoded())
        case .focuses: FocusRow.columns(decoded())
        case .activeFocus: ActiveFocusRow.columns(decoded())
        case .focusVisibility: FocusVisibilityRow.columns(decoded())
        case .audience: AudienceRow.columns(decoded())
        case .notifications: NotificationRow.columns(decoded())
        case .alerts: AlertRow.columns(decoded())
        case .badges: BadgeRow.columns(decoded())
        case .categories: CategoriesRow.columns(decoded())
        case .actions: ActionRow.columns(decoded())
        case .waitingActions: WaitingActionRow.columns(decoded())
        case .suggestions: SuggestionRow.columns(decoded())
        case .routes: RouteRow.columns(decoded { try? RouteRow(decoding: $0) })
        case .workouts: WorkoutRow.columns(decoded())
        case .routeTotals: RouteTotalRow.columns(decoded())
        case .refusals: RefusalRow.columns(decoded())
        case .classAlerts: AlertRow.classColumns(decoded())
        case .notificationSettings: NotificationSettingsRow.columns(decoded())
        case .deliverySchedule: DeliveryScheduleRow.columns(decoded())
        case .preferences: PreferenceRow.columns(decoded())
        case .stream, .appStreams, .devices, .incarnations, .placePages, .interactions, .preferenceDefaults,
            .deviceActivity:
            []
        case .routePoints:
            [.textArray(keys.map { StoredKey(RouteChunkKey($0.key)?.routeID ?? $0.key).text })]
        }
    }

    private func decoded<Message: RowMessage>() -> [Message?] { decoded { try? Message(decoding: $0) } }

    /// The rows' messages. Nil for a tombstone, and for what this program cannot read: the columns for people are then
    /// NULL, and the value, which is what counts, is stored as it is.
    private func decoded<Message>(_ decode: ([UInt8]) -> Message?) -> [Message?] {
        rows.map { $0.isDeleted ? nil : decode($0.value) }
    }
}
