/// What is fixed for a collection, whatever its rows say. The comments of `Schema/proto` name the public ones, and a test
/// holds the two together.
public struct CollectionTraits: Hashable, Sendable {
    /// Whether devices may ever see its rows.
    public var isPublic: Bool
    /// Whether only a rebuild removes such a row, and no event.
    var isNeverRemoved = false
    /// Whether its rows alone are enough for a device to fold on.
    var isFoldedOn = false
    /// The collections that must be in the view too for a prediction of this one.
    var predictionNeeds: RowCollections = []

    fileprivate static let `internal` = CollectionTraits(isPublic: false)
    fileprivate static let sent = CollectionTraits(isPublic: true)

    /// A device folds on its rows, if it has those of these collections too.
    fileprivate func folded(on needs: RowCollections = []) -> Self {
        var traits = self
        (traits.isFoldedOn, traits.predictionNeeds) = (true, needs)
        return traits
    }

    fileprivate var lasting: Self {
        var traits = self
        traits.isNeverRemoved = true
        return traits
    }
}

extension RowCollection {
    /// The table of collections.
    public var traits: CollectionTraits {
        switch self {
        case .apps, .authorizations, .audience, .categories, .workouts: .sent.lasting.folded()
        case .focuses, .deliverySchedule, .preferences, .waitingActions: .sent.folded()
        case .activeFocus: .sent.folded(on: [.focuses])
        case .focusVisibility: .sent.lasting.folded(on: [.focuses, .activeFocus, .apps, .authorizations])
        case .notifications: .sent.folded(on: [.apps, .categories])
        case .notificationSettings: .sent.folded(on: [.apps])
        case .badges:
            .sent.lasting.folded(on: [.notifications, .apps, .categories, .authorizations, .notificationSettings])
        case .suggestions: .sent.lasting
        case .alerts, .classAlerts, .actions, .routes, .routeTotals, .refusals: .sent
        case .stream, .appStreams, .devices, .incarnations, .placePages, .interactions, .routePoints,
            .preferenceDefaults, .deviceActivity:
            .internal
        }
    }

    /// Whether devices may ever see rows of this collection.
    public var isPublic: Bool { Self.publicOnes.contains(self) }

    private static let publicOnes = RowCollections(allCases.filter(\.traits.isPublic))
}
